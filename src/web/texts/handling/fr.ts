import type { handling as en } from './en.ts';

export const handling: typeof en = {
  joined: (name: string) => `${name} a rejoint la conversation`,
  waiting: 'En attente d’une personne…',
  assistantBack: 'L’assistant est de retour',
  said: (name: string, text: string) => `${name} : ${text}`,
  typing: (name: string) => `${name} est en train d’écrire…`,
};
