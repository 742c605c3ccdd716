import type { branches as en } from './en.ts';

export const branches: typeof en = {
  edit: 'Bearbeiten',
  edited: 'Bearbeitete Nachricht',
  forked: 'Dies ist eine Kopie der Unterhaltung.',
  editTitle: 'Nachricht bearbeiten',
  fork: 'Ab hier abzweigen',
  variants: 'Varianten dieser Nachricht',
  previous: 'Vorherige Variante',
  next: 'Nächste Variante',
  variantOf: (position: number, count: number) => `Variante ${position} von ${count}`,
  effectsTitle: 'Trotzdem ersetzen?',
  effectsLead:
    'Diese Aktionen sind schon ausgeführt, und ihre Änderungen bleiben bestehen. Der Assistent erhält diese Liste.',
  effects: 'Aktionen',
  effectsConfirm: 'Ersetzen',
  moreEffects: (count: number) => `${count} weitere Aktionen`,
  inFork: 'Die Unterhaltung geht nach dieser Nachricht weiter. Deshalb ist die Variante in einer Kopie.',
};
