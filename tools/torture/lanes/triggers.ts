import { textContent } from '../../../test/support/agent-apis.ts';
import { type MaybeResponse, newKey } from '../caller.ts';
import type { Action } from '../context.ts';

const RACERS = 3;

/** The maximum number of lost uses. */
const MAX_RETRIES = 20;

/** Creates a trigger, and several clients use it at once. */
export async function triggerRaces(action: Action): Promise<void> {
  const { random, caller, journal, deployments, tag } = action;
  const { response: created } = await caller.sendUntilResponse(
    {
      kind: 'trigger creation',
      method: 'POST',
      path: `/v1/runner/${deployments.agent}/trigger`,
      body: { content: textContent(`Hello ${tag}`) },
      idempotencyKey: newKey(),
    },
    random,
  );
  if (created?.status !== 200) return;
  const id: string = created.body.id;
  journal.triggers.set(id, null);
  const first = random.index(3);
  const racers = Array.from({ length: RACERS }, (_, racer) => use(action, id, first + racer));
  const responses: MaybeResponse[] = await Promise.all(racers);
  // If every response was lost, the next use reveals the result.
  for (let retry = 0; retry < MAX_RETRIES && !responses.some((response) => response); retry += 1) {
    responses.push(await use(action, id, random.index(3)));
  }
  const winners = responses.filter((response) => response?.status === 200 || response?.status === 502);
  journal.check('one request wins a trigger', winners.length <= 1, () => `${id}: ${JSON.stringify(responses)}`);
  const named = responses.flatMap((response) => {
    const { body } = response ?? {};
    return body?.conversation_id ?? body?.error?.conversation_id ?? [];
  });
  const detail = () => `${id}: ${JSON.stringify(responses)}`;
  journal.check('all users of a trigger get the same conversation', new Set(named).size === 1, detail);
  const [conversationId] = named;
  if (!conversationId) return;
  journal.triggers.set(id, conversationId);
  journal.conversations.set(conversationId, deployments.agent);
  journal.turns.push({ tag, outcome: 'accepted', conversationId, attempts: 1 });
}

function use({ caller, deployments, random }: Action, id: string, process: number): Promise<MaybeResponse> {
  const version = random.pick(['v1', 'v2']);
  return caller.sendOnce(
    {
      kind: 'first use of a trigger',
      method: 'POST',
      path: `/${version}/runner/${deployments.agent}/conversation`,
      body: { trigger_id: id },
      expectedCodes: ['trigger_already_used', 'model_error'],
    },
    process,
  );
}
