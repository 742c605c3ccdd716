import { text } from '../../../test/support/doors.ts';
import { newKey, type Told } from '../caller.ts';
import type { Move } from '../stage.ts';

const RACERS = 3;

/** Uses that may be lost one after another. */
const MORE = 20;

/** A trigger is made, and then started by several at once. */
export async function triggerRaces(move: Move): Promise<void> {
  const { random, caller, journal, deployments, tag } = move;
  const { answer: created } = await caller.sure(
    {
      kind: 'trigger creation',
      method: 'POST',
      path: `/v1/runner/${deployments.agent}/trigger`,
      body: { content: text(`Hello ${tag}`) },
      idempotencyKey: newKey(),
    },
    random,
  );
  if (created?.status !== 200) return;
  const id: string = created.body.id;
  journal.triggers.set(id, null);
  const first = random.index(3);
  const racers = Array.from({ length: RACERS }, (_, racer) => use(move, id, first + racer));
  const answers: Told[] = await Promise.all(racers);
  // Where each of them was lost, the next use says what became of them.
  for (let more = 0; more < MORE && !answers.some((answer) => answer); more += 1) {
    answers.push(await use(move, id, random.index(3)));
  }
  const won = answers.filter((answer) => answer?.status === 200 || answer?.status === 502);
  journal.check('a trigger is won by one', won.length <= 1, () => `${id}: ${JSON.stringify(answers)}`);
  const named = answers.flatMap((answer) => {
    const { body } = answer ?? {};
    return body?.conversation_id ?? body?.error?.conversation_id ?? [];
  });
  const detail = () => `${id}: ${JSON.stringify(answers)}`;
  journal.check('all users of a trigger are told one conversation', new Set(named).size === 1, detail);
  const [conversationId] = named;
  if (!conversationId) return;
  journal.triggers.set(id, conversationId);
  journal.conversations.set(conversationId, deployments.agent);
  journal.turns.push({ tag, fate: 'accepted', conversationId, attempts: 1 });
}

function use({ caller, deployments, random }: Move, id: string, process: number): Promise<Told> {
  const version = random.pick(['v1', 'v2']);
  return caller.once(
    {
      kind: 'first use of a trigger',
      method: 'POST',
      path: `/${version}/runner/${deployments.agent}/conversation`,
      body: { trigger_id: id },
      mayBe: ['trigger_already_used', 'model_error'],
    },
    process,
  );
}
