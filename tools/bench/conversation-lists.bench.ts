import { milliseconds, quantile, startBenchService } from './bench-service.ts';

// The first page of 100,000 conversations, unfiltered and filtered by two meta keys, measured in turn (goal: within
// three times the unfiltered page).

const CONVERSATIONS = 100_000;
const ROUNDS = 60;
const DEPLOYMENT = '00000000-0000-4000-8000-000000000001';

const bench = await startBenchService();
const { prisma } = bench.service.services;
const environment = await prisma.environment.findFirstOrThrow({ where: { kind: 'live' } });
await prisma.$executeRaw`
  INSERT INTO conversation (id, environment_id, deployment_id, name, variables, meta, meta_labels, message_count,
                            created_at, updated_at)
  SELECT gen_random_uuid(), ${environment.id}::uuid, ${DEPLOYMENT}::uuid, 'Conversation ' || n, '{}',
         jsonb_build_object('customer', 'c' || n % 500, 'plan', 'p' || n % 7, 'channel', 'web'),
         ARRAY['customer=c' || n % 500, 'plan=p' || n % 7, 'channel=web'], 2,
         now() - make_interval(secs => n), now() - make_interval(secs => n)
  FROM generate_series(1, ${CONVERSATIONS}::int) AS n`;
await prisma.$executeRaw`VACUUM ANALYZE conversation`;

const path = `/v1/runner/${DEPLOYMENT}/conversations`;
const LISTS = {
  'of the deployment, unfiltered': path,
  'by customer and plan (about 29 match)': `${path}?customer=c7&plan=p0`,
  'by channel and plan (a seventh matches)': `${path}?channel=web&plan=p3`,
  'by two keys that match nothing together': `${path}?customer=c7&channel=shop`,
  'of the environment, unfiltered': '/v1/runner/conversations',
};

async function read(list: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(bench.url + list, { headers: { 'x-api-key': bench.key } });
  if (response.status !== 200) throw new Error(`${list}: ${response.status}`);
  await response.json();
  return performance.now() - startedAt;
}

const times = Object.entries(LISTS).map(([name, list]) => ({ name, list, taken: [] as number[] }));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { list, taken } of times) {
    const took = await read(list);
    if (round >= ROUNDS / 6) taken.push(took);
  }
}
const [first] = times;
const unit = quantile(first?.taken ?? [], 0.5);
console.log(`${bench.database}, Node ${process.version}, ${CONVERSATIONS} conversations, first pages`);
for (const { name, taken } of times) {
  const median = quantile(taken, 0.5);
  console.log(`${name}: median ${milliseconds(median)}, ${(median / unit).toFixed(2)} times the first`);
}
await bench.close();
