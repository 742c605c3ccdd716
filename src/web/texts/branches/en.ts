/** The texts of edits, variants and forks in English. */
export const branches = {
  edit: 'Edit',
  edited: 'Edited message',
  forked: 'This is a copy of the conversation.',
  editTitle: 'Edit the message',
  fork: 'Fork from here',
  variants: 'Variants of this message',
  previous: 'Previous variant',
  next: 'Next variant',
  variantOf: (position: number, count: number) => `Variant ${position} of ${count}`,
  effectsTitle: 'Replace anyway?',
  effectsLead: 'These actions have already run, and their changes stay. The assistant gets this list.',
  effects: 'Actions',
  effectsConfirm: 'Replace',
  moreEffects: (count: number) => `${count} more actions`,
  inFork: 'The conversation continues after this message, so the variant is in a copy of it.',
};
