import type { branches as en } from './en.ts';

export const branches: typeof en = {
  edit: 'Editar',
  edited: 'Mensagem editada',
  forked: 'Esta é uma cópia da conversa.',
  editTitle: 'Editar a mensagem',
  fork: 'Ramificar a partir daqui',
  variants: 'Variantes desta mensagem',
  previous: 'Variante anterior',
  next: 'Próxima variante',
  variantOf: (position: number, count: number) => `Variante ${position} de ${count}`,
  effectsTitle: 'Substituir mesmo assim?',
  effectsLead: 'Estas ações já foram executadas, e suas alterações permanecem. O assistente recebe esta lista.',
  effects: 'Ações',
  effectsConfirm: 'Substituir',
  moreEffects: (count: number) => (count === 1 ? 'mais 1 ação' : `mais ${count} ações`),
  inFork: 'A conversa continua depois desta mensagem, por isso a variante está em uma cópia dela.',
};
