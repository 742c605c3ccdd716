import type { CALLER_DEFAULTS, RUN_DEFAULTS } from '../../../shapes/environment.ts';
import type { NestedField } from '../../../shapes/field.ts';

/** A default budget as a field of JSON. The service checks it: its rules would be too large for the pages. */
const budget = (title: string) => ({ kind: 'object', title }) as unknown as NestedField;

type FieldsOf<Shape> = Readonly<Record<keyof Shape, NestedField>>;

export const RUN_BUDGETS = {
  runBudget: budget('Budget of a run'),
  conversationBudget: budget('Budget of a conversation'),
} satisfies FieldsOf<typeof RUN_DEFAULTS>;

export const CALLER_BUDGETS = {
  endUserBudget: budget('Budget of an end user'),
  visitorBudget: budget('Budget of all visitors'),
} satisfies FieldsOf<typeof CALLER_DEFAULTS>;
