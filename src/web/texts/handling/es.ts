import type { handling as en } from './en.ts';

export const handling: typeof en = {
  joined: (name: string) => `${name} se ha unido`,
  waiting: 'Esperando a una persona…',
  assistantBack: 'El asistente ha vuelto',
  said: (name: string, text: string) => `${name}: ${text}`,
  typing: (name: string) => `${name} está escribiendo…`,
};
