import type { budgets as english } from './en.ts';

export const budgets: typeof english = {
  add: 'Aumentar o orçamento em',
  addHint: (unit) => `Em ${unit}. Deixe em branco se o orçamento voltou a ser suficiente.`,
  amount: 'a moeda do espaço de trabalho',
  end: 'Encerrar o turno',
  lead: (spent, limit) =>
    `${spent} de ${limit} foram gastos. O turno espera até que alguém aumente o orçamento deste período.`,
  needed: (most) => `A próxima etapa custa no máximo ${most}.`,
  notNumber: 'Digite um número acima de 0.',
  raise: 'Aumentar e continuar',
  title: 'Aumentar o orçamento?',
  tokens: 'tokens',
  pausing: 'O assistente está em pausa',
  pausingHint: 'Você pode sair desta página: a conversa continua mais tarde.',
};
