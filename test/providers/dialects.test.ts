import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allCases, type DialectCase, parseCase } from '../support/dialects/cases.ts';
import { AFTER_CALLS, type DialectProvider, startDialectProvider } from '../support/dialects/provider.ts';
import { dialectDeployments, type Seen, TRANSPORTS } from '../support/dialects/transports.ts';
import { startService, type TestService } from '../support/service.ts';

const CASES = allCases();

let provider: DialectProvider;
let service: TestService;
let deployments: Awaited<ReturnType<typeof dialectDeployments>>;
beforeAll(async () => {
  provider = await startDialectProvider(CASES);
  const settings = { apiKey: 'a-key', baseUrl: provider.url };
  service = await startService({ providers: { openai: settings, anthropic: settings } });
  deployments = await dialectDeployments(service);
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

/** What a client must see through an API. Undefined: not compared. */
function wantedOf({ expect: expected }: DialectCase, transport: keyof typeof TRANSPORTS, seen: Seen): Partial<Seen> {
  const { text, reasoning, calls, failure, finish, usage } = expected;
  const runnable = calls.flatMap(({ name, arguments: args }) => (args ? [{ name, arguments: args }] : []));
  const failed = failure !== undefined;
  const isPaused = runnable.length > 0 && seen.calls !== undefined;
  // The model continues after calls that do not wait for the client.
  const last = isPaused || calls.length === 0 ? '' : AFTER_CALLS;
  const isWhole = transport === 'v1' || transport === 'v2';
  const whole = calls.length > 0 ? last : text;
  return {
    text: isWhole ? (failed ? '' : whole) : text + last,
    ...{ reasoning, calls: runnable, failed, finish },
    usage: calls.length === 0 ? usage : undefined,
  };
}

describe.concurrent.each(CASES.map((one) => ({ ...one, title: `${one.provider}: ${one.quirk}` })))('$title', (one) => {
  const { protocol, expect: expected } = one;
  const through = (transport: keyof typeof TRANSPORTS): Promise<Seen> =>
    TRANSPORTS[transport](service, deployments[protocol], `case: ${one.name} ${transport}`, provider);

  it(`is read through every API (${one.name})`, async () => {
    const names = Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[];
    const seen = await Promise.all(names.map(through));
    for (const [index, transport] of names.entries()) check(transport, seen[index] as Seen);
    if (expected.failure) {
      const { conversationId } = seen[names.indexOf('v2')] as Seen;
      expect(await failureOf(conversationId)).toBe(expected.failure);
    }
    // After calls the model continues, with counts of its own.
    if (!expected.usage || expected.failure || expected.calls.length > 0) return;
    const { conversationId } = seen[names.indexOf('v1')] as Seen;
    expect({ cached: await cachedOf(conversationId) }).toEqual({ cached: expected.cached });
  });

  function check(transport: keyof typeof TRANSPORTS, seen: Seen): void {
    const wanted = wantedOf(one, transport, seen);
    for (const field of ['failed', 'text', 'reasoning', 'calls', 'finish', 'usage'] as const) {
      if (seen[field] === undefined || wanted[field] === undefined) continue;
      expect({ transport, [field]: seen[field] }).toEqual({ transport, [field]: wanted[field] });
    }
    if (transport !== 'v2' || expected.calls.some(({ arguments: args }) => args)) return;
    const results = provider.resultsOf(`case: ${one.name} ${transport}`);
    for (const { refused } of expected.calls) expect(results).toContain(refused);
  }
});

async function cachedOf(conversationId = 'none'): Promise<[number, number]> {
  const { prisma } = service.service.services.stores;
  const run = await prisma.run.findFirstOrThrow({ where: { conversationId } });
  return [run.cachedInputTokens, run.cacheWriteTokens];
}

async function failureOf(conversationId = 'none'): Promise<string> {
  const run = await service.service.services.stores.prisma.run.findFirstOrThrow({ where: { conversationId } });
  const { body } = await service.graphql('query ($id: ID!) { run(id: $id) { failure { reason } } }', {
    id: run.id,
  });
  return body.data.run.failure.reason.toLowerCase();
}

describe('the corpus', () => {
  it('has a file for many quirks of many providers', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(120);
    expect(new Set(CASES.map(({ provider: name }) => name)).size).toBeGreaterThanOrEqual(20);
    const contents = CASES.map(({ protocol, status, end, chunks }) => JSON.stringify([protocol, status, end, chunks]));
    expect(new Set(contents).size).toBe(CASES.length);
  });

  it.each([
    ['{"provider":"X"}', /test\/providers\/x\/y\.json: .*expected string, received undefined[\s\S]*→ at quirk/],
    ['{"provider":"X","quirk":"no stop"}', /is one sentence with a full stop/],
  ])('explains what is wrong with the file %s', (json, message) => {
    expect(() => parseCase('x/y', json)).toThrow(message);
  });
});
