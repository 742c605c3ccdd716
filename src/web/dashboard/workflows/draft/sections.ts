import { useFilter } from '../../location.ts';
import { type DraftForm, isInvalid } from './draft-form.ts';
import type { DraftValues } from './draft-values.ts';

interface SectionEntry {
  readonly name: string;
  readonly title: string;
  /** The fields of the form that it shows. */
  readonly fields: readonly (keyof DraftValues)[];
}

/** The parts of the editor, in the order of its navigation. Every field of the draft is in exactly one. */
export const SECTIONS = [
  { name: 'instructions', title: 'Instructions', fields: ['name', 'instructions'] },
  {
    name: 'model',
    title: 'Model',
    fields: [
      'model',
      'context',
      'contextTokens',
      'summaryModel',
      'summaryInstructions',
      'allowFileReading',
      'historyLimit',
      'titleModel',
      'reasoning',
      'reasoningEffort',
      'maxReplyTokens',
      'temperature',
      'stopSequences',
      'modelParameters',
    ],
  },
  { name: 'abilities', title: 'Abilities', fields: ['clientTools', 'resourceTools'] },
  { name: 'actions', title: 'Actions', fields: ['httpActions', 'mcpServers'] },
  { name: 'approvals', title: 'Approvals', fields: ['toolApprovals'] },
  { name: 'replies', title: 'Replies', fields: ['outputSchema', 'allowConversationCompletion'] },
  {
    name: 'people',
    title: 'People',
    fields: [
      'allowHandOver',
      'handOverAfterFailures',
      'handOverAfterBadRating',
      'handOverWaitMinutes',
      'handOverExpiry',
    ],
  },
  {
    name: 'limits',
    title: 'Limits and recovery',
    fields: ['maxSteps', 'timeoutSeconds', 'recovery', 'maxAttempts', 'runBudget', 'conversationBudget'],
  },
  { name: 'start', title: 'Start', fields: [] },
] as const satisfies readonly SectionEntry[];

export type SectionName = (typeof SECTIONS)[number]['name'];

/** The section in the URL, and its setter. The first one is the default. */
export function useSection(): readonly [SectionName, (name: SectionName) => void] {
  const [requested, set] = useFilter('section');
  const current = SECTIONS.find(({ name }) => name === requested) ?? SECTIONS[0];
  return [current.name, (name) => set(name === SECTIONS[0].name ? '' : name)];
}

/** The sections with an invalid field. */
export function invalidSections(form: DraftForm): readonly SectionName[] {
  return SECTIONS.filter(({ fields }) => fields.some((field) => isInvalid(form, field))).map(({ name }) => name);
}
