import { z } from 'zod';
import { LIMITS } from '../../../contract/limits.ts';
import { isModelName } from '../../../contract/model-name.ts';
import { CALL_KINDS, CALL_STATUSES } from '../../../contract/statuses.ts';
import { atMost, parseInput } from '../../input.ts';
import { contentInput } from '../../message-content.ts';
import { oneShotVariablesInput } from '../../values-by-name.ts';

const jsonObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

const call = z.object({
  callId: atMost(LIMITS.keyLength),
  type: z.enum(CALL_KINDS),
  name: atMost(LIMITS.draftToolNameLength),
  arguments: jsonObject,
  status: z.enum(CALL_STATUSES),
  output: z.unknown().optional(),
});

const step = z.object({
  text: atMost(LIMITS.replyBytes).nullish(),
  calls: z.array(call).max(LIMITS.draftCalls, `must hold at most ${LIMITS.draftCalls} calls`).nullish(),
});

const turn = z.object({
  content: contentInput,
  steps: z.array(step).max(LIMITS.draftSteps, `must hold at most ${LIMITS.draftSteps} steps`).nullish(),
});

const ITEM_ID = /^item_(\d{1,19})$/;

const source = z.object({
  conversationId: z.guid('must be a UUID').toLowerCase(),
  lastItemId: z
    .string()
    .regex(ITEM_ID, 'must be the itemId of an item of the history')
    .transform((id) => BigInt(ITEM_ID.exec(id)?.[1] ?? 0))
    .refine((id) => id < 2n ** 63n, 'must be the itemId of an item of the history')
    .nullish(),
});

const draftTurn = z.object({
  version: z.int().min(1, 'must be at least 1').nullish(),
  model: z
    .string()
    .refine(isModelName, 'must be demo, openai:NAME, anthropic:NAME or openai-compatible:NAME')
    .nullish(),
  variables: oneShotVariablesInput.nullish(),
  source: source.nullish(),
  turns: z
    .array(turn)
    .min(1, 'must hold at least one turn')
    .max(LIMITS.draftTurns, `must hold at most ${LIMITS.draftTurns} turns. Reset the test and start again`),
});

/** A turn of a test, as its caller keeps it. */
export type DraftTurnRecord = z.output<typeof turn>;

/** The stored conversation that a test continues. */
export type DraftSource = z.output<typeof source>;

export type DraftTurnInput = z.output<typeof draftTurn>;

/** @throws {ServiceError} invalid_request */
export function parseDraftTurn(input: Readonly<Record<string, unknown>>): DraftTurnInput {
  return parseInput(draftTurn, input);
}
