import type { handling as en } from './en.ts';

export const handling: typeof en = {
  joined: (name: string) => `${name}已加入`,
  waiting: '正在等待人工服务…',
  assistantBack: '助手已回来',
  said: (name: string, text: string) => `${name}：${text}`,
  typing: (name: string) => `${name}正在输入…`,
};
