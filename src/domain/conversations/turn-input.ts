import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { parseInput } from '../input.ts';
import { contentInput } from '../message-content.ts';
import { leavesContent } from '../triggers/apply.ts';
import { variablesInput } from '../values-by-name.ts';
import { metaInput } from './meta-input.ts';

/** How many earlier message pairs the model sees. */
export const historyLimitInput = z
  .int('must be a whole number')
  .min(0, `must be from 0 to ${LIMITS.historyLimit}`)
  .max(LIMITS.historyLimit, `must be from 0 to ${LIMITS.historyLimit}`)
  .nullish();

/** The trigger that starts a conversation or a one-shot run, or that has started the conversation. */
export const triggerIdInput = z.string().min(1, 'must not be empty: leave it out to start without a trigger').nullish();

const fields = {
  conversationId: z.guid('must be a UUID').toLowerCase().nullish(),
  startIfMissing: z.boolean().nullish(),
  variables: variablesInput.nullish(),
  meta: metaInput.nullish(),
  historyLimit: historyLimitInput,
  triggerId: triggerIdInput,
};

const turnInput = z.object({ ...fields, content: contentInput }).superRefine((input, context) => {
  if (!input.conversationId && input.startIfMissing) {
    const message = 'is required with startIfMissing: choose a random UUID';
    context.addIssue({ code: 'custom', path: ['conversationId'], message });
  }
  if (!input.conversationId || input.startIfMissing) return;
  for (const field of ['variables', 'meta'] as const) {
    if (!input[field]) continue;
    const message = 'is only allowed with the first message of a conversation: leave it out';
    context.addIssue({ code: 'custom', path: [field], message });
  }
});

/** A start whose trigger supplies the content. */
const primedInput = z.object(fields);

/** The input of a turn, for v1 and v2. */
export type TurnInput = z.output<typeof turnInput> | z.output<typeof primedInput>;

/** @throws {ServiceError} invalid_request */
export function parseTurn(input: Readonly<Record<string, unknown>>): TurnInput {
  return leavesContent(input) ? parseInput(primedInput, input) : parseInput(turnInput, input);
}
