import * as z from 'zod/mini';
import { ERROR_CODE_LIST } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import {
  CONVERSATION_STATUSES,
  HANDLING_MODES,
  HISTORY_INCLUDES,
  RATING_VALUES,
  RUN_STATUSES,
  TIMELINE_BRANCHES,
} from '../contract/statuses.ts';
import { input, placed } from './field.ts';
import { choice, choices, flag, id, integer, map, number, object, text, time } from './kinds.ts';
import { metaBounds } from './meta.ts';
import { valuesByAnyKey } from './values-by-name.ts';

export const PERIOD = input('PeriodInput', 'A period of time. Without `from` or `to`, it has no start or no end.', {
  from: time({ says: 'The start', note: 'The period includes it.' }),
  to: time({ says: 'The end', note: 'The period does not include it.' }),
});

export const INT_RANGE = input(
  'IntRangeInput',
  'A range of whole numbers. Without `min` or `max`, it has no lower or no upper bound.',
  {
    min: integer({ says: 'The lowest value of the range', least: 0 }),
    max: integer({ says: 'The highest value of the range', least: 0 }),
  },
);

export const AMOUNT_RANGE = input(
  'AmountRangeInput',
  'A range of amounts, in the currency of the workspace. Without `min` or `max`, it has no lower or no upper bound.',
  {
    min: number({ says: 'The lowest amount of the range', least: 0, most: LIMITS.filterCost }),
    max: number({ says: 'The highest amount of the range', least: 0, most: LIMITS.filterCost }),
  },
);

const canBeBlank = true;
const searched = { least: 1, most: LIMITS.searchLength, canBeBlank } as const;
const several = { least: 1, most: LIMITS.filterValues } as const;

const branch = choice('ALL: also the items that an edit, another reply or another variant replaced', TIMELINE_BRANCHES);

export const HISTORY_FILTER = input('HistoryFilter', 'Selects items of a timeline.', {
  include: choices('Items that are only returned on request', HISTORY_INCLUDES),
  branch,
});

export const MESSAGE_FILTER = input('MessageFilter', 'Selects messages of a conversation.', { branch });

/** The conditions on the member to whom a conversation is assigned. */
export const assignmentFilter = (what: string, assigned: string) => ({
  assignee: id(['Member', 'User'], {
    says: `Only ${what} ${assigned} to this member`,
    note: 'Scope: conversations:handle.',
  }),
  isAssigned: flag({
    says: `True: only ${what} ${assigned} to a member`,
    note: 'False: only others. Scope: conversations:handle.',
  }),
});

/** The domain also compares the bounds of a period or range, and counts the words of `text`. */
export const CONVERSATION_FILTER = input('ConversationFilter', 'Filters conversations. All conditions must match.', {
  deploymentId: id('Deployment', 'Only conversations of this deployment'),
  // OpenAPI states no bounds: a query parameter with new ones would be another contract.
  endUser: text({ says: 'Only conversations of this end user', most: LIMITS.endUserLength, bounds: {} }),
  status: choice('Only conversations with this status', CONVERSATION_STATUSES),
  runStatuses: choices('Only conversations whose latest run has one of these statuses', RUN_STATUSES, several),
  rating: choice('Only conversations in which a reply has this rating', RATING_VALUES),
  handling: choices('Only conversations that are answered like this', HANDLING_MODES, several),
  ...assignmentFilter('conversations', 'that are assigned'),
  meta: map(
    valuesByAnyKey(
      z.union([z.string(), z.number(), z.boolean()], 'must be a string, a number or a boolean'),
      LIMITS.metaKeys,
    ),
    {
      says: 'Values of `meta` by key',
      note: 'Values are compared as text: `true`, `3`, `abc`.',
      bounds: metaBounds(),
    },
  ),
  createdAt: object(PERIOD, 'Only conversations that started in this period'),
  updatedAt: object(PERIOD, 'Only conversations whose latest activity was in this period'),
  search: text({ says: 'Part of the name, case-insensitive', ...searched }),
  text: text({
    says: `Words that one message or the name contains, in any order: {bounds} with at most ${LIMITS.searchWords} words`,
    note: `Case and accents do not matter. "quoted words" must follow each other, \`or\` means either side, and \`-word\` excludes a word. The last word can be the first three or more letters of a word. A message is searched up to ${LIMITS.searchedLength} characters.`,
    ...searched,
    // A word that is not excluded.
    bounds: { maxLength: LIMITS.searchLength, pattern: '(^|\\s)([^\\s-]\\S*)?[\\p{L}\\p{N}]' },
  }),
  anyId: placed(
    { idOf: 'Node' },
    text({
      says: 'Only the conversation with this ID, or that contains this run, call, request, trigger or item',
      ...searched,
    }),
  ),
  workflowVersion: integer({ says: 'Only conversations in which a turn ran this version of its workflow' }),
  errorCodes: choices('Only conversations in which a turn failed with one of these errors', ERROR_CODE_LIST, several),
  responseTimeMs: object(INT_RANGE, {
    says: 'Only conversations whose slowest turn took this many milliseconds',
    note: 'Scope: workflows:read.',
  }),
  cost: object(AMOUNT_RANGE, {
    says: 'Only conversations with this cost',
    note: 'Those that used a model without a price do not match. Scope: workflows:read.',
  }),
});

export const LISTED_CONVERSATION_FILTER = input(
  'ListedConversationFilter',
  'The filter of a list that a subscription keeps up to date, with the conditions of `ConversationFilter`. Conversations of other deployments are not reported. All others are, because a change can remove them from the list: `matches` says whether they belong to it.',
  {
    ...CONVERSATION_FILTER.fields,
    status: choice(
      {
        says: 'COMPLETED: only completed conversations',
        note: 'ACTIVE: active conversations, and each one once more when it is completed, so that a list can remove it.',
      },
      CONVERSATION_STATUSES,
    ),
  },
);
