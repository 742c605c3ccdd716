import type { branches as en } from './en.ts';

export const branches: typeof en = {
  edit: '編集',
  edited: '編集後のメッセージ',
  forked: 'これは会話のコピーです。',
  editTitle: 'メッセージを編集',
  fork: 'ここから分岐',
  variants: 'このメッセージのバージョン',
  previous: '前のバージョン',
  next: '次のバージョン',
  variantOf: (position: number, count: number) => `バージョン ${position}/${count}`,
  effectsTitle: '置き換えますか？',
  effectsLead: '次のアクションはすでに実行されており、その変更は残ります。アシスタントにはこのリストが渡されます。',
  effects: 'アクション',
  effectsConfirm: '置き換える',
  moreEffects: (count: number) => `ほか${count}件のアクション`,
  inFork: 'このメッセージの後にも会話が続いているため、新しいバージョンは会話のコピーにあります。',
};
