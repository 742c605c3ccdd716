import { afterAll, beforeAll, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { until } from '../support/until.ts';

let provided: ProviderService;
beforeAll(async () => {
  provided = await startProviderService();
});
afterAll(() => provided.close());

it('/readyz and /metrics count turns without a process, and say how long the first of them has waited', async () => {
  const { service, provider } = provided;
  const { prisma, leases } = service.service.services.stores;
  const deployment = await provided.agent();
  const turns = async () => {
    const { status, body } = await service.send('GET', '/readyz', { key: null });
    expect(status).toBe(200);
    return body.turns;
  };
  const noTurns = { lost: 0, oldest_lost_seconds: 0, waiting: 0, oldest_waiting_seconds: 0 };
  provider.reply({ kind: 'hang' });
  const asked = provider.nextRequest();
  const turn = provided.turn(deployment);
  await asked;
  expect(await turns()).toEqual(noTurns);

  await prisma.environment.updateMany({ data: { backgroundRuns: 0 } });
  const { status } = await service.send('POST', `/v2/runner/${deployment}/conversation`, {
    body: { content: textContent('Later') },
    headers: { prefer: 'respond-async' },
  });
  expect(status).toBe(202);
  // No process recovers anything from here on. Notifications of other services still let this one look at its own leases, so
  // another process must really have the run.
  await leases.stop();
  await prisma.$executeRaw`
    UPDATE run SET lease_owner = gen_random_uuid(), fence = fence + 1, lease_expires_at = now() - interval '40 s',
                   updated_at = now() - interval '50 s'
    WHERE lease_owner IS NOT NULL`;
  await prisma.$executeRaw`UPDATE run SET updated_at = now() - interval '90 s' WHERE lease_owner IS NULL`;
  const counted = await until(async () => {
    const now = await turns();
    return now.lost === 1 && now;
  });
  expect(counted).toMatchObject({ lost: 1, waiting: 1 });
  expect(counted.oldest_lost_seconds).toBeGreaterThanOrEqual(40);
  expect(counted.oldest_lost_seconds).toBeLessThan(50);
  expect(counted.oldest_waiting_seconds).toBeGreaterThanOrEqual(90);
  const { body } = await service.send('GET', '/metrics');
  expect(body).toMatch(/^parley_turns_unowned{state="lost"} 1$/m);
  expect(body).toMatch(/^parley_turns_unowned{state="waiting"} 1$/m);
  expect(body).toMatch(/^parley_turn_unowned_oldest_seconds{state="lost"} 4\d/m);

  // At the start of an embedded database all owners are dead. Nobody knows since when.
  await prisma.$executeRaw`UPDATE run SET lease_expires_at = to_timestamp(0), updated_at = now() WHERE lease_owner IS NOT NULL`;
  const abandoned = await until(async () => {
    const now = await turns();
    return now.oldest_lost_seconds < 40 && now;
  });
  expect(abandoned.lost).toBe(1);
  await service.service.services.process.runs.drain(0);
  await turn;
});
