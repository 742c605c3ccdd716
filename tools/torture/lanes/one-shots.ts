import { textContent } from '../../../test/support/agent-apis.ts';
import { type Call, newKey } from '../caller.ts';
import type { Action } from '../context.ts';

/** Messages outside of conversations. */
export async function oneShots(action: Action): Promise<void> {
  const { random, caller, journal, deployments, tag } = action;
  const slow = random.chance(0.5) ? `/slow ${random.between(0.1, 1).toFixed(2)}\n` : '';
  const call: Call = {
    kind: 'one-shot run',
    method: 'POST',
    path: `/${random.pick(['v1', 'v2'])}/runner/${deployments.chat}`,
    body: { content: textContent(`${slow}/say done ${tag}`) },
    idempotencyKey: random.chance(0.5) ? newKey() : undefined,
  };
  const { response } = await caller.sendRetryingIfKeyed(call, random);
  if (response?.status !== 200) return;
  journal.check('a reply is the script’s', response.body.content === `done ${tag}`, () =>
    JSON.stringify(response.body),
  );
  journal.oneShots.push(response.body.workflow_log_id);
}
