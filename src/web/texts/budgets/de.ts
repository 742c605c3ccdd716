import type { budgets as english } from './en.ts';

export const budgets: typeof english = {
  add: 'Budget erhöhen um',
  addHint: (unit) => `In ${unit}. Lassen Sie das Feld leer, wenn das Budget wieder reicht.`,
  amount: 'der Währung des Arbeitsbereichs',
  end: 'Zug beenden',
  lead: (spent, limit) =>
    `${spent} von ${limit} sind ausgegeben. Der Zug wartet, bis jemand das Budget dieses Zeitraums erhöht.`,
  needed: (most) => `Der nächste Schritt kostet höchstens ${most}.`,
  notNumber: 'Geben Sie eine Zahl über 0 ein.',
  raise: 'Erhöhen und fortfahren',
  title: 'Budget erhöhen?',
  tokens: 'Tokens',
  pausing: 'Der Assistent macht eine Pause',
  pausingHint: 'Sie können diese Seite verlassen: Die Unterhaltung geht später weiter.',
};
