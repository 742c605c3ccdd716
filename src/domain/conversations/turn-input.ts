import { z } from 'zod';
import { rulesOf } from '../../shapes/field.ts';
import { RUN_AGENT_TURN } from '../../shapes/turns.ts';
import { contentInput } from '../message-content.ts';

const { conversationId, startIfMissing, variablesByName, meta, historyLimit, triggerId } = RUN_AGENT_TURN.fields;

const fields = rulesOf({ conversationId, startIfMissing, variables: variablesByName, meta, historyLimit, triggerId });

const whole = z.object({ ...fields, content: contentInput }).superRefine((input, context) => {
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

const withoutContent = z.object(fields);

/** The rules of a turn, for v1 and v2. */
export const TURN_RULES = { whole, withoutContent };

export type TurnInput = z.output<typeof whole> | z.output<typeof withoutContent>;
