import { textContent } from '../../../test/support/agent-apis.ts';
import { type Call, type MaybeResponse, newKey } from '../caller.ts';
import type { Action } from '../context.ts';
import { type KnownConversation, recordReply } from './conversation.ts';
import { actionScript, type Script } from './scripts.ts';
import { checkReply } from './turns.ts';

interface Sent {
  readonly response: MaybeResponse;
  readonly attempts: number;
}

/** The statuses of a turn that is stored. */
const ACCEPTED: readonly (number | undefined)[] = [200, 202, 502];

/**
 * Turns with actions: in the background, or with a client that waits, disconnects soon, or retries. The service must
 * complete each turn that it has accepted, whatever its client does.
 */
export function actionTurns(): (action: Action) => Promise<void> {
  let last: KnownConversation | undefined;
  return async (action) => {
    const { random, caller, tag } = action;
    const script = actionScript(random, tag);
    const before = random.chance(0.5) ? last : undefined;
    last = undefined;
    const sent = await caller.sendRetryingIfKeyed(callOf(action, script, before), random);
    const known = record(action, before, sent);
    action.journal.continued.push({ tag, reply: script.reply });
    if (!known || sent.response?.status !== 200) return;
    checkReply(action, script, sent.response);
    recordReply(action.journal, known, sent.response);
    last = known;
  };
}

function callOf({ random, deployments }: Action, { text }: Script, before: KnownConversation | undefined): Call {
  const background = random.chance(0.4);
  const leavesAfterMs = random.chance(0.4) ? 2 + random.index(200) : undefined;
  const waits = !background && leavesAfterMs === undefined;
  return {
    kind: background ? 'background turn with actions' : 'turn with actions',
    method: 'POST',
    path: `/v2/runner/${deployments.agent}/conversation`,
    body: { content: textContent(text), ...(before && { conversation_id: before.id }) },
    expectedCodes: ['model_error'],
    idempotencyKey: waits && random.chance(0.6) ? newKey() : undefined,
    background,
    leavesAfterMs,
  };
}

/** Records the client's knowledge. */
function record(
  { journal, deployments, tag }: Action,
  before: KnownConversation | undefined,
  { response, attempts }: Sent,
): KnownConversation | undefined {
  const id: string | undefined = before?.id ?? response?.body.conversation_id;
  const outcome = ACCEPTED.includes(response?.status) ? 'accepted' : response ? 'rejected' : 'lost';
  journal.turns.push({ tag, outcome, conversationId: id, attempts });
  if (!id) return undefined;
  journal.conversations.set(id, deployments.agent);
  return { id, deploymentId: deployments.agent, completed: false, uncertain: false };
}
