import { isDeepStrictEqual } from 'node:util';
import { newKey } from '../caller.ts';
import type { Action } from '../context.ts';
import type { KnownResource } from '../journal.ts';

/** The number of open resources of a lane. */
const OPEN = 6;

/**
 * Resources: created with and without a key, updated and deleted. Lost requests are retried if they are safe to retry.
 */
export function resourceWrites(): (action: Action) => Promise<void> {
  const open: KnownResource[] = [];
  return async (action) => {
    const { random } = action;
    const known = open[random.index(OPEN)];
    const operation = random.weighted({ create: 3, change: 5, delete: 1 });
    if (!known || operation === 'create') {
      const created = await create(action);
      if (created) open[open.length < OPEN ? open.length : random.index(OPEN)] = created;
    } else if (operation === 'change') await change(action, known);
    else {
      open.splice(open.indexOf(known), 1);
      await remove(action, known);
    }
  };
}

async function create({ random, caller, journal, tag }: Action): Promise<KnownResource | undefined> {
  const fields = { tag, changed: 0 };
  const idempotencyKey = random.chance(0.6) ? newKey() : undefined;
  const call = {
    kind: 'resource creation',
    method: 'POST',
    path: '/v1/resources',
    body: { type: 'torture', fields },
    idempotencyKey,
  } as const;
  const { response } = await caller.sendRetryingIfKeyed(call, random);
  if (response?.status !== 201) {
    journal.uncertainResources.push(tag);
    return undefined;
  }
  const known = { id: response.body.data.id, tag, fields };
  journal.resources.push(known);
  return known;
}

/** An update is safe to retry. */
async function change({ random, caller, journal, tag }: Action, known: KnownResource): Promise<void> {
  const patch = { changed: tag, [random.pick(['a', 'b'])]: random.index(1_000) };
  const { response } = await caller.sendUntilResponse(
    { kind: 'resource change', method: 'PATCH', path: `/v1/resources/${known.id}`, body: { fields: patch } },
    random,
  );
  if (response?.status !== 200) return;
  known.fields = { ...known.fields, ...patch };
  const isSame = isDeepStrictEqual(response.body.data.fields, known.fields);
  journal.check('an update returns the current resource', isSame, () => JSON.stringify([response.body, known]));
}

async function remove({ random, caller }: Action, known: KnownResource): Promise<void> {
  const { response, attempts } = await caller.sendUntilResponse(
    { kind: 'resource deletion', method: 'DELETE', path: `/v1/resources/${known.id}`, expectedCodes: ['not_found'] },
    random,
  );
  // An earlier lost request may have deleted it.
  if (response?.status === 204 || (response?.status === 404 && attempts > 1)) known.fields = null;
}
