import type { budgets as english } from './en.ts';

export const budgets: typeof english = {
  add: 'Augmenter le budget de',
  addHint: (unit) => `En ${unit}. Laissez vide si le budget suffit de nouveau.`,
  amount: 'la devise de l’espace de travail',
  end: 'Terminer le tour',
  lead: (spent, limit) =>
    `${spent} sur ${limit} sont dépensés. Le tour attend que quelqu’un augmente le budget de cette période.`,
  needed: (most) => `La prochaine étape coûte au plus ${most}.`,
  notNumber: 'Saisissez un nombre supérieur à 0.',
  raise: 'Augmenter et continuer',
  title: 'Augmenter le budget ?',
  tokens: 'jetons',
  pausing: 'L’assistant est en pause',
  pausingHint: 'Vous pouvez quitter cette page : la conversation continuera plus tard.',
};
