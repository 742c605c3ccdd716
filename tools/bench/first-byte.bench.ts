import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDatabase } from './core/database.ts';
import { options, ROUNDS } from './core/options.ts';
import { CHAT, startService } from './core/processes.ts';
import type { Bench, Findings } from './core/results.ts';
import { alternate, figure, quantile, ratio, type Sample } from './core/statistics.ts';
import { JSON_BY_KEY } from './core/turns.ts';

/** The streams of a round, one after another. */
const STREAMS = options.quick ? 20 : 50;

const SERVICE = 'through the service';
const BASELINE = 'directly from the provider';

/** A provider in the process of the client, so that both have the same clock. */
async function startProvider() {
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
  return { url: `http://127.0.0.1:${port}/v1`, firstDeltaAt: () => firstDeltaAt, close: () => provider.close() };
}

export const bench: Bench = {
  about:
    'From the first delta of a provider to the first byte at a client of `/v1/…/conversation/stream`, on PostgreSQL, one' +
    ' stream at a time. The baseline is a client that reads the provider’s response directly.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const provider = await startProvider();
    const service = await startService({
      DATABASE_URL: database.url,
      DEFAULT_MODEL: 'openai:any',
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: provider.url,
    });
    const stream = async (url: string): Promise<number> => {
      const body = JSON.stringify({ content: [{ type: 'text', text: 'Hello' }] });
      const response = await fetch(url, { method: 'POST', headers: JSON_BY_KEY, body });
      if (!response.ok) throw new Error(await response.text());
      const reader = response.body?.getReader();
      await reader?.read();
      const took = performance.now() - provider.firstDeltaAt();
      while (!(await reader?.read())?.done);
      return took;
    };
    const round = (url: string) => async (): Promise<Sample> => {
      const times: number[] = [];
      for (let count = 0; count < STREAMS; count += 1) times.push(await stream(url));
      const sorted = times.sort((a, b) => a - b);
      return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), longest: quantile(sorted, 1) };
    };
    const variants = {
      [SERVICE]: round(`${service.url}/v1/runner/${CHAT}/conversation/stream`),
      [BASELINE]: round(provider.url),
    };
    await alternate(variants, 2);
    const samples = await alternate(variants, ROUNDS);
    provider.close();
    const columns = [
      { key: 'p50', title: 'p50 ms', digits: 2 },
      { key: 'p95', title: 'p95 ms', digits: 2 },
      { key: 'longest', title: 'longest ms', digits: 2 },
      { key: 'ratio', title: 'p50 × baseline', digits: 2 },
    ];
    const rows = Object.keys(samples).map((name) => ({
      name,
      figures: Object.fromEntries(
        columns.map(({ key }) => [
          key,
          key === 'ratio' ? ratio(samples, name, BASELINE, 'p50') : figure(samples, name, key),
        ]),
      ),
    }));
    const measured = figure(samples, SERVICE, 'p50');
    const description = 'first byte after the provider’s first delta: median';
    return {
      tables: [{ title: 'The first byte of a reply', columns, rows }],
      goals: [{ description: description, limit: 30, is: 'at most', unit: 'ms', measured }],
    };
  },
};
