import { isDeepStrictEqual } from 'node:util';
import { newKey } from '../caller.ts';
import type { KnownResource } from '../journal.ts';
import type { Move } from '../stage.ts';

/** Resources of a lane that are still changed. */
const OPEN = 6;

/** Resources: made with a key and without, changed and deleted; what was lost is sent again where it may be. */
export function resourceWrites(): (move: Move) => Promise<void> {
  const open: KnownResource[] = [];
  return async (move) => {
    const { random } = move;
    const known = open[random.index(OPEN)];
    const way = random.weighted({ create: 3, change: 5, delete: 1 });
    if (!known || way === 'create') {
      const made = await create(move);
      if (made) open[open.length < OPEN ? open.length : random.index(OPEN)] = made;
    } else if (way === 'change') await change(move, known);
    else {
      open.splice(open.indexOf(known), 1);
      await remove(move, known);
    }
  };
}

async function create({ random, caller, journal, tag }: Move): Promise<KnownResource | undefined> {
  const fields = { tag, changed: 0 };
  const idempotencyKey = random.chance(0.6) ? newKey() : undefined;
  const call = {
    kind: 'resource creation',
    method: 'POST',
    path: '/v1/resources',
    body: { type: 'torture', fields },
    idempotencyKey,
  } as const;
  const { answer } = await caller.asMayBe(call, random);
  if (answer?.status !== 201) {
    journal.maybeResources.push(tag);
    return undefined;
  }
  const known = { id: answer.body.data.id, tag, fields };
  journal.resources.push(known);
  return known;
}

/** The same change may be sent again. */
async function change({ random, caller, journal, tag }: Move, known: KnownResource): Promise<void> {
  const patch = { changed: tag, [random.pick(['a', 'b'])]: random.index(1_000) };
  const { answer } = await caller.sure(
    { kind: 'resource change', method: 'PATCH', path: `/v1/resources/${known.id}`, body: { fields: patch } },
    random,
  );
  if (answer?.status !== 200) return;
  known.fields = { ...known.fields, ...patch };
  const isSame = isDeepStrictEqual(answer.body.data.fields, known.fields);
  journal.check('a change answers the resource as it is', isSame, () => JSON.stringify([answer.body, known]));
}

async function remove({ random, caller }: Move, known: KnownResource): Promise<void> {
  const { answer, attempts } = await caller.sure(
    { kind: 'resource deletion', method: 'DELETE', path: `/v1/resources/${known.id}`, mayBe: ['not_found'] },
    random,
  );
  // One that was lost before may have done it.
  if (answer?.status === 204 || (answer?.status === 404 && attempts > 1)) known.fields = null;
}
