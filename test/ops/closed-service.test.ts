import { setImmediate as nextRound } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { startService } from '../support/service.ts';

/** In a function of its own, so that no variable of the test refers to the service. */
async function openAndClose(): Promise<WeakRef<object>> {
  const service = await startService();
  expect((await service.send('GET', '/v1/deployments')).status).toBe(200);
  const { app } = service.service;
  await service.close();
  return new WeakRef(app);
}

it('a closed service does not stay in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const closed = await openAndClose();
  await expect
    .poll(async () => {
      // A weak reference keeps its object until the round of the event loop ends.
      await nextRound();
      collectGarbage();
      return closed.deref() === undefined;
    })
    .toBe(true);
});
