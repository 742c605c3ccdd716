import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromManyAddresses } from '../support/client.ts';
import {
  createExampleData,
  type DocumentedOperation,
  OPERATIONS,
  type Parameter,
  type RequestValues,
  sendDocumented,
} from '../support/document-requests.ts';
import { valuesOf, withReplacement, wrongValue } from '../support/schema-values.ts';
import { SEED } from '../support/seed.ts';
import { startService, type TestService } from '../support/service.ts';

/** Requests for each operation. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 60);
const AT_ONCE = 8;

/** Values of a parameter: usually valid ones and existing IDs, sometimes any text. */
function parameterValues({ in: location, schema, example, name }: Parameter): fc.Arbitrary<unknown> {
  const valid =
    example === undefined
      ? valuesOf(schema)
      : fc.oneof({ weight: 6, arbitrary: fc.constant(example) }, valuesOf(schema));
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', '0', '-1', '1e3', 'null', '%', '..', '__proto__'),
  );
  // A header is sent as Latin-1, without controls.
  const wrongText = location === 'header' ? texts.map((text) => text.replace(/[^\x20-\x7e]/g, '')) : texts;
  // A path with an empty or dotted segment is another path.
  const written = location === 'path' ? wrongText.filter((text) => !/^\.{0,2}$/.test(text)) : wrongText;
  const value = fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: written });
  const isAlways = location === 'path';
  return isAlways ? value : fc.option(value, { nil: undefined, freq: name.startsWith('If-') ? 1 : 2 });
}

function requestsOf({ parameters, body, examples }: DocumentedOperation): fc.Arbitrary<RequestValues> {
  const input = fc.record(Object.fromEntries(parameters.map((one) => [one.name, parameterValues(one)])));
  if (!body) return input.map((values) => ({ parameters: values }));
  const shown = fc.constantFrom(...Object.values(examples).map(({ value }) => value));
  const valid = fc.oneof({ weight: 2, arbitrary: shown }, { weight: 3, arbitrary: valuesOf(body) });
  const bodies = fc.oneof(
    { weight: 1, arbitrary: valid },
    {
      weight: 1,
      arbitrary: fc
        .tuple(valid, fc.nat(), wrongValue)
        .map(([value, at, replacement]) => withReplacement(value, at, replacement)),
    },
  );
  return fc.record({ parameters: input, body: bodies });
}

/** Made before the service starts: the work would block it for longer than it keeps idle connections. */
const operations = OPERATIONS.map((operation) => ({
  operation,
  name: operation.name,
  requests: fc.sample(requestsOf(operation), { seed: SEED, numRuns: REQUESTS }),
}));

describe('any input to an operation of openapi.json gets a documented response and causes no fault', () => {
  let service: TestService;
  let session: string;
  beforeAll(async () => {
    // Sign-ins are limited by address. Nobody has to receive the emails.
    const settings = { trustProxy: 'loopback', mail: { url: 'smtp://127.0.0.1:9', from: 'parley@example.com' } };
    service = fromManyAddresses(await startService(settings));
    ({ session } = await createExampleData(service));
  });
  afterAll(() => service.close());

  // One after another, in the order of the document.
  it.each(operations)(
    '$name',
    async ({ operation, requests }) => {
      const key = operation.requiresSession ? session : service.key;
      const faults: string[] = [];
      let taken = 0;
      const send = async () => {
        for (let input = requests.pop(); input; input = requests.pop()) {
          try {
            // The client checks every response against the document.
            const { status, body } = await sendDocumented(service, operation, input, key);
            if (status >= 500) faults.push(`${status} ${JSON.stringify({ given: input, body })}`);
            if (status < 300) taken += 1;
          } catch (error) {
            faults.push(`${String(error)} ${JSON.stringify(input)}`);
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, send));
      expect(faults).toEqual([]);
      // If every request were rejected, the test would prove little.
      expect(taken).toBeGreaterThan(0);
    },
    60_000 + REQUESTS * 500,
  );
});
