import type { handling as en } from './en.ts';

export const handling: typeof en = {
  joined: (name: string) => `${name} ist jetzt dabei`,
  waiting: 'Warten auf eine Person…',
  assistantBack: 'Der Assistent ist wieder da',
  said: (name: string, text: string) => `${name}: ${text}`,
  typing: (name: string) => `${name} schreibt…`,
};
