import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { CALL_KINDS, CALL_STATUSES } from '../contract/statuses.ts';
import { contentParts } from './content.ts';
import { input, placed, required } from './field.ts';
import { conversationId, workflowId } from './ids.ts';
import { anyObject, choice, integer, json, list, map, object, text, textOf } from './kinds.ts';
import { modelName } from './names.ts';
import { variables } from './variables.ts';

const canBeBlank = true;

const DRAFT_CALL = input(
  'DraftCallInput',
  'A tool call of a test, as `DraftStep` returned it. A client tool has its output.',
  {
    callId: required(text({ says: 'The ID of the call', most: LIMITS.keyLength, canBeBlank })),
    type: required(choice('The type of the call', CALL_KINDS)),
    name: required(text({ says: 'The name of the tool', most: LIMITS.draftToolNameLength, canBeBlank })),
    arguments: required(map(anyObject, { says: 'The arguments of the call' })),
    status: required(choice('The status of the call', CALL_STATUSES)),
    output: json(z.unknown(), {
      says: 'The result',
      note: 'For a pending client tool: a JSON object in the form that the tool expects.',
    }),
  },
);

const DRAFT_STEP = input('DraftStepInput', 'A model step of a test, as `DraftStep` returned it.', {
  text: text({ says: 'The text of the assistant', most: LIMITS.replyBytes, canBeBlank }),
  calls: list(DRAFT_CALL, { says: 'Its tool calls', most: LIMITS.draftCalls, noun: 'calls' }),
});

export const DRAFT_TURN_RECORD = input(
  'DraftTurnRecordInput',
  'A turn of a test: a message of the user, and the steps of the assistant so far.',
  {
    content: required(contentParts('The message of the user')),
    steps: list(DRAFT_STEP, { says: 'The steps', most: LIMITS.draftSteps, noun: 'steps' }),
  },
);

const ITEM_ID = /^(?:item_)?(\d{1,19})$/;
const ITEM_RULE = 'must be the itemId of an item of the history';

const itemId = z.pipe(
  z.string().check(z.regex(ITEM_ID, ITEM_RULE)),
  z.pipe(
    z.transform((text: string) => BigInt(ITEM_ID.exec(text)?.[1] ?? 0)),
    z.bigint().check(z.refine((number) => number < 2n ** 63n, ITEM_RULE)),
  ),
);

export const DRAFT_SOURCE = input(
  'DraftSourceInput',
  'A stored conversation that a test continues. The conversation itself does not change.',
  {
    conversationId,
    lastItemId: placed(
      { idOf: ['Message', 'ToolCall', 'ActionCall', 'ClientToolCall', 'ConversationCompletion'] },
      textOf(itemId, {
        says: 'The `itemId` of the last item of its history to use',
        note: 'Default: the whole history.',
      }),
    ),
  },
);

export const DRAFT_TURN = input(
  'DraftTurnInput',
  'A test of a workflow. The caller keeps its turns and sends them all with each request.',
  {
    workflowId,
    version: integer({ says: 'The number of the version to run', note: 'Default: the draft.' }),
    model: textOf(modelName, { says: 'Replaces the model: demo, or provider:name' }),
    variables: variables(),
    source: object(DRAFT_SOURCE, {
      says: 'The conversation before the first turn',
      note: 'Also needs the scope conversations:read.',
    }),
    turns: required(
      list(DRAFT_TURN_RECORD, {
        says: '{bounds} turns',
        note: 'The last one has no steps yet, or its last step has the outputs of all client tools.',
        least: 1,
        most: LIMITS.draftTurns,
        noun: 'turns. Reset the test and start again',
      }),
    ),
  },
);
