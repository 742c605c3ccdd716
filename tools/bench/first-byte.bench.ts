import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { milliseconds, quantile, startBenchService } from './bench-service.ts';

// From the first delta that a provider writes to the first byte that a client of the stream has (goal: 30 ms at the
// median). Provider, service and client share one process and so one clock.

const ROUNDS = 200;

let firstDeltaAt = 0;

const provider = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    setTimeout(() => {
      const send = (choice: object) =>
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
      firstDeltaAt = performance.now();
      send({ delta: { content: 'Hello' } });
      send({ delta: {}, finish_reason: 'stop' });
      response.end('data: [DONE]\n\n');
    }, 20);
  });
});
await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
const { port } = provider.address() as AddressInfo;

const bench = await startBenchService({
  DEFAULT_MODEL: 'openai:any',
  OPENAI_API_KEY: 'none',
  OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
});

async function round(): Promise<number> {
  const response = await fetch(`${bench.url}/v1/runner/00000000-0000-4000-8000-000000000001/conversation/stream`, {
    method: 'POST',
    headers: { 'x-api-key': bench.key, 'content-type': 'application/json' },
    body: JSON.stringify({ content: [{ type: 'text', text: 'Hello' }] }),
  });
  const reader = response.body?.getReader();
  await reader?.read();
  const took = performance.now() - firstDeltaAt;
  while (!(await reader?.read())?.done);
  return took;
}

for (let warmUp = 0; warmUp < 20; warmUp += 1) await round();
const times: number[] = [];
for (let count = 0; count < ROUNDS; count += 1) times.push(await round());
console.log(`${bench.database}, Node ${process.version}, ${ROUNDS} streams, one after another`);
console.log(`first byte after the model's first delta: median ${milliseconds(quantile(times, 0.5))}`);
console.log(`95 % within ${milliseconds(quantile(times, 0.95))}, longest ${milliseconds(Math.max(...times))}`);
await bench.close();
provider.close();
