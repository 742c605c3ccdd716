import { text } from '../../../test/support/doors.ts';
import { type Call, newKey } from '../caller.ts';
import type { Move } from '../stage.ts';

/** Messages outside of any conversation. */
export async function oneShots(move: Move): Promise<void> {
  const { random, caller, journal, deployments, tag } = move;
  const slow = random.chance(0.5) ? `/slow ${random.between(0.1, 1).toFixed(2)}\n` : '';
  const call: Call = {
    kind: 'one-shot run',
    method: 'POST',
    path: `/${random.pick(['v1', 'v2'])}/runner/${deployments.chat}`,
    body: { content: text(`${slow}/say done ${tag}`) },
    idempotencyKey: random.chance(0.5) ? newKey() : undefined,
  };
  const { answer } = await caller.asMayBe(call, random);
  if (answer?.status !== 200) return;
  journal.check('a reply is the script’s', answer.body.content === `done ${tag}`, () => JSON.stringify(answer.body));
  journal.oneShots.push(answer.body.workflow_log_id);
}
