import type { branches as en } from './en.ts';

export const branches: typeof en = {
  edit: '编辑',
  edited: '编辑后的消息',
  forked: '这是对话的副本。',
  editTitle: '编辑消息',
  fork: '从这里创建分支',
  variants: '此消息的版本',
  previous: '上一个版本',
  next: '下一个版本',
  variantOf: (position: number, count: number) => `版本 ${position}/${count}`,
  effectsTitle: '仍要替换吗？',
  effectsLead: '这些操作已经执行，所做的更改会保留。助手会收到此列表。',
  effects: '操作',
  effectsConfirm: '替换',
  moreEffects: (count: number) => `另外 ${count} 个操作`,
  inFork: '对话在此消息之后还有内容，因此新版本位于对话的副本中。',
};
