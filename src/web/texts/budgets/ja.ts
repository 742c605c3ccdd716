import type { budgets as english } from './en.ts';

export const budgets: typeof english = {
  add: '予算の増額',
  addHint: (unit) => `単位: ${unit}。予算に再び余裕がある場合は空のままにしてください。`,
  amount: 'ワークスペースの通貨',
  end: 'ターンを終了',
  lead: (spent, limit) => `${limit}のうち${spent}を使用しました。この期間の予算が増額されるまで、ターンは待機します。`,
  needed: (most) => `次のステップの費用は最大${most}です。`,
  notNumber: '0より大きい数値を入力してください。',
  raise: '増額して続ける',
  title: '予算を増額しますか？',
  tokens: 'トークン',
  pausing: 'アシスタントは一時停止中です',
  pausingHint: 'このページを離れてもかまいません。会話は後で続きます。',
};
