import type { budgets as english } from './en.ts';

export const budgets: typeof english = {
  add: 'Aumentar el presupuesto en',
  addHint: (unit) => `En ${unit}. Déjelo vacío si el presupuesto vuelve a ser suficiente.`,
  amount: 'la moneda del espacio de trabajo',
  end: 'Terminar el turno',
  lead: (spent, limit) =>
    `Se han gastado ${spent} de ${limit}. El turno espera hasta que alguien aumente el presupuesto de este periodo.`,
  needed: (most) => `El siguiente paso cuesta como máximo ${most}.`,
  notNumber: 'Escriba un número mayor que 0.',
  raise: 'Aumentar y continuar',
  title: '¿Aumentar el presupuesto?',
  tokens: 'tokens',
  pausing: 'El asistente está en pausa',
  pausingHint: 'Puede salir de esta página: la conversación continuará más tarde.',
};
