import type { handling as en } from './en.ts';

export const handling: typeof en = {
  joined: (name: string) => `${name}さんが参加しました`,
  waiting: '担当者を待っています…',
  assistantBack: 'アシスタントが戻りました',
  said: (name: string, text: string) => `${name}: ${text}`,
  typing: (name: string) => `${name}さんが入力しています…`,
};
