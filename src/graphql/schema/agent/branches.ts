import { forkConversation } from '../../../domain/agent/branch/fork-conversation.ts';
import { editMessage, regenerateTurn } from '../../../domain/agent/branch/replace-turn.ts';
import { selectVariant } from '../../../domain/agent/branch/select-variant.ts';
import type { StartedTurn, TurnResult } from '../../../domain/agent/turn.ts';
import { runnerAccess } from '../../../operation/access.ts';
import type { TurnExtensions } from '../../../operation/plan.ts';
import { EDIT_MESSAGE, FORK_CONVERSATION, REGENERATE_TURN, SELECT_VARIANT } from '../../../shapes/branches.ts';
import { conversationField } from '../conversations/conversation-field.ts';
import { mutation, type PayloadBuilder } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { BRANCH_ERRORS, FORK_ERRORS, SELECT_ERRORS } from './turn-errors.ts';
import { AgentTurn } from './turn-results.ts';
import { asksForAsync } from './turns.ts';

const turnField = (t: PayloadBuilder<{ readonly turn: TurnResult | StartedTurn }>) => ({
  turn: t.field({
    type: AgentTurn,
    description: 'A reply, a pause for the client, or a start in the background.',
    resolve: ({ turn }) => turn,
  }),
});

const REPLACES = {
  publishing: 'acts',
  access: runnerAccess('conversations:write'),
  extensions: { isTurn: true } satisfies TurnExtensions,
  payload: turnField,
} as const;

mutation('regenerateTurn', {
  ...REPLACES,
  description:
    'Runs the last turn of a conversation again, v1 or v2. Its reply and its calls leave the active line and stay readable. If the turn has failed, this tries it again. Scope: conversations:write.',
  input: inputType(REGENERATE_TURN),
  errors: BRANCH_ERRORS,
  resolve: async ({ background, prefer, ...input }, { domain }) => ({
    turn: await regenerateTurn(domain, input, { background: background || asksForAsync(prefer) }),
  }),
});

mutation('editMessage', {
  ...REPLACES,
  description:
    'Replaces a message of the user, and everything after it, with another message and a new turn. What it replaces leaves the active line and stays readable. Scope: conversations:write.',
  input: inputType(EDIT_MESSAGE),
  errors: BRANCH_ERRORS,
  resolve: async ({ background, prefer, ...input }, { domain }) => ({
    turn: await editMessage(domain, input, { background: background || asksForAsync(prefer) }),
  }),
});

mutation('selectVariant', {
  publishing: 'acts',
  access: runnerAccess('conversations:write'),
  description:
    'Makes another variant of a message active. If the conversation goes on after that place, it stays as it is, and the result is a fork with the variant. Scope: conversations:write.',
  input: inputType(SELECT_VARIANT),
  errors: SELECT_ERRORS,
  resolve: (input, { domain }) => selectVariant(domain, input),
  payload: (t) => ({
    ...conversationField('The conversation in which the variant is active.')(t),
    isFork: t.exposeBoolean('isFork', { description: 'Whether the conversation is a new one.' }),
  }),
});

mutation('forkConversation', {
  publishing: 'acts',
  access: runnerAccess('conversations:write'),
  description:
    'Copies the active line of a conversation, also of a completed one, up to an item into a new conversation of the same owner. Ratings and usage stay with the source. Scope: conversations:write.',
  input: inputType(FORK_CONVERSATION),
  errors: FORK_ERRORS,
  resolve: (input, { domain }) => forkConversation(domain, input),
  payload: conversationField('The new conversation.'),
});
