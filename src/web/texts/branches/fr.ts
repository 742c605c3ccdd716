import type { branches as en } from './en.ts';

export const branches: typeof en = {
  edit: 'Modifier',
  edited: 'Message modifié',
  forked: 'Ceci est une copie de la conversation.',
  editTitle: 'Modifier le message',
  fork: 'Dériver à partir d’ici',
  variants: 'Variantes de ce message',
  previous: 'Variante précédente',
  next: 'Variante suivante',
  variantOf: (position: number, count: number) => `Variante ${position} sur ${count}`,
  effectsTitle: 'Remplacer quand même ?',
  effectsLead: 'Ces actions ont déjà été exécutées et leurs changements restent. L’assistant reçoit cette liste.',
  effects: 'Actions',
  effectsConfirm: 'Remplacer',
  moreEffects: (count: number) => `${count} autres actions`,
  inFork: 'La conversation continue après ce message, la variante se trouve donc dans une copie.',
};
