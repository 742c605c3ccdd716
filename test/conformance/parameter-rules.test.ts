import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../src/rest/json-schema.ts';
import { createExampleData, OPERATIONS, sendDocumented } from '../support/document-requests.ts';
import { DOCUMENT } from '../support/openapi.ts';
import { REQUEST_AJV } from '../support/request-ajv.ts';
import { valuesOf } from '../support/schema-values.ts';
import { SEED } from '../support/seed.ts';
import { startService, type TestService } from '../support/service.ts';

const VALUES = 8;

const TEXTS = [
  '0',
  '1',
  '-1',
  '100',
  '101',
  '1.5',
  '1e1',
  '01',
  ' 1',
  'abc',
  'A b',
  'null',
  'true',
  '2026-13-01T00:00:00Z',
  '2026-01-31',
];

const parameters = OPERATIONS.flatMap((operation) =>
  operation.parameters
    .filter((one) => one.in === 'query' && !one.explode)
    .map((parameter) => ({ operation, parameter, name: `${parameter.name} of ${operation.name}` })),
);

/** The value that a text stands for. */
function parsed({ type }: JsonSchema, text: string): unknown {
  if (type === 'array') return [text];
  const isNumber = (type === 'integer' && /^-?\d+$/.test(text)) || (type === 'number' && /^-?\d+(\.\d+)?$/.test(text));
  return isNumber ? Number(text) : text;
}

/** Values that need another parameter, which OpenAPI cannot say. */
const WITH: Readonly<Record<string, object>> = { handling_since: { handling: 'waiting' } };

describe('the rules of query parameters in openapi.json', () => {
  let service: TestService;
  let session: string;
  beforeAll(async () => {
    service = await startService();
    ({ session } = await createExampleData(service));
  });
  afterAll(() => service.close());

  it.each(parameters)('accept and reject the same values of $name as the service', async ({ operation, parameter }) => {
    const schema: JsonSchema = parameter.schema;
    const validate = REQUEST_AJV.compile({ ...schema, components: DOCUMENT.components });
    const valid = fc.sample(valuesOf(schema), { seed: SEED, numRuns: VALUES }).map((value) => String(value));
    const paths = operation.parameters.filter((one) => one.in === 'path').map(({ name, example }) => [name, example]);
    const differences: object[] = [];
    for (const text of new Set([...TEXTS, ...valid])) {
      const values = { parameters: { ...Object.fromEntries(paths), ...WITH[text], [parameter.name]: text } };
      const { status, body } = await sendDocumented(
        service,
        operation,
        values,
        operation.requiresSession ? session : service.key,
      );
      const isAccepted = validate(parsed(schema, text));
      const isBroken = status === 400 && body.error.code === 'invalid_request';
      if (isAccepted === isBroken) differences.push({ text, isAccepted, status, body });
    }
    expect(differences).toEqual([]);
  });
});
