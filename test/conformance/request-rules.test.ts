import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import {
  createExampleData,
  type DocumentedOperation,
  OPERATIONS,
  sendDocumented,
} from '../support/document-requests.ts';
import { DOCUMENT } from '../support/openapi.ts';
import { REQUEST_AJV } from '../support/request-ajv.ts';
import { REQUEST_CASES } from '../support/request-cases.ts';
import { valuesOf, withReplacement } from '../support/schema-values.ts';
import { SEED } from '../support/seed.ts';
import { startService, type TestService } from '../support/service.ts';

const REQUESTS = 40;
const AT_ONCE = 8;

/** Sign-ins have a rate limit per account. */
const SIGN_INS = 8;

/** The codes of a request that breaks a rule, whatever the state of the service. */
const RULE_CODES = ['invalid_request', 'invalid_tool_result'];

/** Why the document rejects a body. Undefined if it accepts the body. */
function problemFinder({ path, method }: DocumentedOperation): (body: unknown) => unknown {
  const steps = ['paths', path, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema'];
  const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
  const validate = REQUEST_AJV.compile({ $ref: `openapi.json#/${pointer.join('/')}` });
  return (body) => {
    if (!validate(body)) return validate.errors;
    return schemasIn(body).every(isObjectSchema) ? undefined : 'not a JSON Schema of type object';
  };
}

interface Capability {
  readonly input_schema?: { readonly type?: unknown } | null;
}

/** JSON Schemas of a body. The document describes their form in words. */
function schemasIn(body: unknown): NonNullable<Capability['input_schema']>[] {
  const { client_capabilities: capabilities } = body as { client_capabilities?: readonly Capability[] | null };
  return (capabilities ?? []).flatMap(({ input_schema: schema }) => schema ?? []);
}

function isObjectSchema(schema: NonNullable<Capability['input_schema']>): boolean {
  const { type = 'object' } = schema;
  return [type].flat().includes('object') && REQUEST_AJV.validateSchema(schema) === true;
}

const WRONG = [undefined, null, true, -1, 0, 0.5, 101, '', ' ', 'text', '1e3', 'x'.repeat(70), [], {}, [[]], [null]];

/** Bodies that the document accepts, and the same with one value replaced or left out. */
function bodiesOf({ body = {}, examples }: DocumentedOperation): fc.Arbitrary<unknown> {
  const valid = fc.oneof(fc.constantFrom(...Object.values(examples).map(({ value }) => value)), valuesOf(body));
  const wrong = fc
    .tuple(valid, fc.nat(), fc.constantFrom(...WRONG))
    .map(([value, at, replacement]) => withReplacement(value, at, replacement));
  return fc.oneof({ weight: 2, arbitrary: valid }, { weight: 3, arbitrary: wrong }).filter(isStorable).map(asSent);
}

/** Without fields that are undefined. A missing body counts as an empty object. */
function asSent(body: unknown): unknown {
  return body === undefined ? {} : JSON.parse(JSON.stringify(body));
}

/** The document states these rules for every request: JSON Schema cannot express them. */
function isStorable(value: unknown): boolean {
  const text = JSON.stringify(value) ?? '';
  return !/\\u0000|\\ud[89a-f]/i.test(text) && !/[:[,]-?\d{16,}[,}\]]/.test(text);
}

/** Made before the service starts: the work would block it for longer than it keeps idle connections. */
const operations = OPERATIONS.filter(({ body }) => body).map((operation) => {
  const numRuns = operation.name === 'SignIn' ? SIGN_INS : REQUESTS;
  const { $ref = '' } = (operation.body ?? {}) as { $ref?: string };
  const cases = REQUEST_CASES[$ref.split('/').at(-1) ?? ''] ?? [];
  const generated = fc.sample(bodiesOf(operation), { seed: SEED, numRuns });
  return { name: operation.name, operation, bodies: [...cases, ...generated] };
});

describe('the request rules of openapi.json', () => {
  let service: TestService;
  let session: string;
  beforeAll(async () => {
    // Nobody has to receive the emails.
    service = await startService({ trustProxy: 1, mail: { url: 'smtp://127.0.0.1:9', from: 'parley@example.com' } });
    ({ session } = await createExampleData(service));
  });
  afterAll(() => service.close());

  it('have cases at their borders for schemas of the document only', () => {
    expect(Object.keys(DOCUMENT.components.schemas)).toEqual(expect.arrayContaining(Object.keys(REQUEST_CASES)));
  });

  it.each(operations)('accept and reject the same bodies of $name as the service', async ({ operation, bodies }) => {
    const problemOf = problemFinder(operation);
    const compared = await inParallel(bodies, async (body) => {
      const problem = problemOf(body);
      const { status, body: response } = await send(operation, body);
      const isBroken = status === 400 && RULE_CODES.includes(response.error.code);
      const agrees = problem ? status === 400 : !isBroken;
      return { isAccepted: !problem, difference: agrees ? [] : [{ body, problem, response }] };
    });
    expect(compared.flatMap(({ difference }) => difference)).toEqual([]);
    // If all bodies were alike, the test would prove little.
    expect(new Set(compared.map(({ isAccepted }) => isAccepted)).size).toBe(2);
  });

  let addresses = 0;

  /** Sends a body from an address of its own: some operations have a rate limit per address. */
  function send(operation: DocumentedOperation, body: unknown) {
    const parameters = Object.fromEntries(operation.parameters.map(({ name, example }) => [name, example]));
    addresses += 1;
    const from = { 'x-forwarded-for': `2001:db8:${addresses.toString(16)}::1` };
    const client: Pick<Client, 'send'> = {
      send: (method, path, options) =>
        service.send(method, path, { ...options, headers: { ...options?.headers, ...from } }),
    };
    return sendDocumented(client, operation, { parameters, body }, operation.requiresSession ? session : service.key);
  }
});

async function inParallel<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>) {
  const waiting = [...items];
  const results: Result[] = [];
  const run = async () => {
    while (waiting.length > 0) results.push(await work(waiting.pop() as Item));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  return results;
}
