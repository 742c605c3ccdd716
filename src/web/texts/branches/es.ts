import type { branches as en } from './en.ts';

export const branches: typeof en = {
  edit: 'Editar',
  edited: 'Mensaje editado',
  forked: 'Esta es una copia de la conversación.',
  editTitle: 'Editar el mensaje',
  fork: 'Bifurcar desde aquí',
  variants: 'Variantes de este mensaje',
  previous: 'Variante anterior',
  next: 'Variante siguiente',
  variantOf: (position: number, count: number) => `Variante ${position} de ${count}`,
  effectsTitle: '¿Reemplazar de todos modos?',
  effectsLead: 'Estas acciones ya se han ejecutado y sus cambios permanecen. El asistente recibe esta lista.',
  effects: 'Acciones',
  effectsConfirm: 'Reemplazar',
  moreEffects: (count: number) => `${count} acciones más`,
  inFork: 'La conversación continúa después de este mensaje, por eso la variante está en una copia.',
};
