import type { handling as en } from './en.ts';

export const handling: typeof en = {
  joined: (name: string) => `${name} entrou na conversa`,
  waiting: 'Esperando uma pessoa…',
  assistantBack: 'O assistente voltou',
  said: (name: string, text: string) => `${name}: ${text}`,
  typing: (name: string) => `${name} está digitando…`,
};
