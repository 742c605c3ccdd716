import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allCases, type DialectCase, parseCase } from '../support/dialects/cases.ts';
import { DOORS, dialectDeployments, type Seen } from '../support/dialects/doors.ts';
import { AFTER_CALLS, type DialectProvider, startDialectProvider } from '../support/dialects/provider.ts';
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
function wantedOf({ expect: expected }: DialectCase, door: keyof typeof DOORS, seen: Seen): Partial<Seen> {
  const { text, reasoning, calls, failure, finish, usage } = expected;
  const runnable = calls.flatMap(({ name, arguments: args }) => (args ? [{ name, arguments: args }] : []));
  const failed = failure !== undefined;
  const isPaused = runnable.length > 0 && seen.calls !== undefined;
  // The model continues after calls that do not wait for the client.
  const last = isPaused || calls.length === 0 ? '' : AFTER_CALLS;
  const isWhole = door === 'v1' || door === 'v2';
  const whole = calls.length > 0 ? last : text;
  return {
    text: isWhole ? (failed ? '' : whole) : text + last,
    ...{ reasoning, calls: runnable, failed, finish },
    usage: calls.length === 0 ? usage : undefined,
  };
}

describe.concurrent.each(CASES.map((one) => ({ ...one, title: `${one.provider}: ${one.quirk}` })))('$title', (one) => {
  const { protocol, expect: expected } = one;
  const through = (door: keyof typeof DOORS): Promise<Seen> =>
    DOORS[door](service, deployments[protocol], `case: ${one.name} ${door}`, provider);

  it(`is read through every API (${one.name})`, async () => {
    const names = Object.keys(DOORS) as (keyof typeof DOORS)[];
    const seen = await Promise.all(names.map(through));
    for (const [index, door] of names.entries()) check(door, seen[index] as Seen);
    if (expected.failure) {
      const { conversationId } = seen[names.indexOf('v2')] as Seen;
      expect(await failureOf(conversationId)).toBe(expected.failure);
    }
  });

  function check(door: keyof typeof DOORS, seen: Seen): void {
    const wanted = wantedOf(one, door, seen);
    for (const field of ['failed', 'text', 'reasoning', 'calls', 'finish', 'usage'] as const) {
      if (seen[field] === undefined || wanted[field] === undefined) continue;
      expect({ door, [field]: seen[field] }).toEqual({ door, [field]: wanted[field] });
    }
    if (door !== 'v2' || expected.calls.some(({ arguments: args }) => args)) return;
    const results = provider.resultsOf(`case: ${one.name} ${door}`);
    for (const { refused } of expected.calls) expect(results).toContain(refused);
  }
});

async function failureOf(conversationId = 'none'): Promise<string> {
  const run = await service.service.services.prisma.run.findFirstOrThrow({ where: { conversationId } });
  const { body } = await service.graphql('query ($id: UUID!) { run(runId: $id) { failure { reason } } }', {
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
