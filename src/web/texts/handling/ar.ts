import type { handling as en } from './en.ts';

export const handling: typeof en = {
  joined: (name: string) => `انضم ${name}`,
  waiting: 'في انتظار شخص من الفريق…',
  assistantBack: 'عاد المساعد',
  said: (name: string, text: string) => `${name}: ${text}`,
  typing: (name: string) => `${name} يكتب…`,
};
