import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ask,
  type Documented,
  type Given,
  OPERATIONS,
  type Parameter,
  plantExamples,
} from '../support/document-requests.ts';
import { valuesOf, withWrong, wrong } from '../support/schema-values.ts';
import { startService, type TestService } from '../support/service.ts';

/** Fixed, so that a failure comes again. */
const SEED = 20260131;
const REQUESTS = 120;
const AT_ONCE = 8;

/** What a parameter is given: mostly what it takes, and ids that there are; sometimes anything that can be written. */
function parameterValues({ in: place, schema, example, name }: Parameter): fc.Arbitrary<unknown> {
  const right =
    example === undefined
      ? valuesOf(schema)
      : fc.oneof({ weight: 6, arbitrary: fc.constant(example) }, valuesOf(schema));
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', '0', '-1', '1e3', 'null', '%', '..', '__proto__'),
  );
  // A header is sent as Latin-1, without controls.
  const wrongText = place === 'header' ? texts.map((text) => text.replace(/[^\x20-\x7e]/g, '')) : texts;
  // A path with an empty or dotted segment is another path.
  const written = place === 'path' ? wrongText.filter((text) => !/^\.{0,2}$/.test(text)) : wrongText;
  const value = fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: written });
  const isAlways = place === 'path';
  return isAlways ? value : fc.option(value, { nil: undefined, freq: name.startsWith('If-') ? 1 : 2 });
}

function requestsOf({ parameters, body, examples }: Documented): fc.Arbitrary<Given> {
  const given = fc.record(Object.fromEntries(parameters.map((one) => [one.name, parameterValues(one)])));
  if (!body) return given.map((values) => ({ parameters: values }));
  const shown = fc.constantFrom(...Object.values(examples).map(({ value }) => value));
  const right = fc.oneof({ weight: 2, arbitrary: shown }, { weight: 3, arbitrary: valuesOf(body) });
  const bodies = fc.oneof(
    { weight: 1, arbitrary: right },
    {
      weight: 1,
      arbitrary: fc.tuple(right, fc.nat(), wrong).map(([value, at, something]) => withWrong(value, at, something)),
    },
  );
  return fc.record({ parameters: given, body: bodies });
}

describe('whatever is sent to an operation of openapi.json is answered as it says, and never by a fault', () => {
  let service: TestService;
  let session: string;
  beforeAll(async () => {
    service = await startService();
    ({ session } = await plantExamples(service));
  });
  afterAll(() => service.close());

  // One after another, in the order of the document.
  it.each(OPERATIONS.map((operation) => ({ operation, name: operation.name })))('$name', async ({ operation }) => {
    const requests = fc.sample(requestsOf(operation), { seed: SEED, numRuns: REQUESTS });
    const key = operation.ofSession ? session : service.key;
    const faults: string[] = [];
    let taken = 0;
    const send = async () => {
      for (let given = requests.pop(); given; given = requests.pop()) {
        try {
          // The client holds every answer to the document.
          const { status, body } = await ask(service, operation, given, key);
          if (status >= 500) faults.push(`${status} ${JSON.stringify({ given, body })}`);
          if (status < 300) taken += 1;
        } catch (error) {
          faults.push(`${String(error)} ${JSON.stringify(given)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, send));
    expect(faults).toEqual([]);
    // Requests that are all refused would prove little.
    expect(taken).toBeGreaterThan(0);
  });
});
