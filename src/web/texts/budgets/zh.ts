import type { budgets as english } from './en.ts';

export const budgets: typeof english = {
  add: '增加预算',
  addHint: (unit) => `单位：${unit}。如果预算已有余量，请留空。`,
  amount: '工作区的货币',
  end: '结束本轮',
  lead: (spent, limit) => `已使用 ${spent}，上限为 ${limit}。本轮会等待，直到有人增加此期间的预算。`,
  needed: (most) => `下一步最多花费 ${most}。`,
  notNumber: '请输入大于 0 的数字。',
  raise: '增加并继续',
  title: '增加预算吗？',
  tokens: '令牌',
  pausing: '助手已暂停',
  pausingHint: '您可以离开此页面，对话稍后会继续。',
};
