import { randomUUID } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UUID_PATTERN } from '../../src/contract/ids.ts';
import { schema } from '../../src/graphql/schema.ts';
import { type OpenApiDocument, openApiDocument } from '../../src/rest/openapi.ts';
import { loadRoutes } from '../../src/rest/router.ts';
import { ROOT } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Made, prepareSamples, SAMPLES } from './samples.ts';

const routes = loadRoutes(schema, ROOT);
const document = openApiDocument(schema, routes, '0.1.0');

/** The document with every object closed, so that an answer with an undocumented field fails. */
const closed = JSON.parse(JSON.stringify(document), (_key, value) =>
  value?.type === 'object' && value.properties ? { additionalProperties: false, ...value } : value,
) as OpenApiDocument;

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
ajv.addFormat('uuid', UUID_PATTERN);
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
ajv.addVocabulary(Object.keys(document));
ajv.addSchema(closed, 'openapi.json');

function validator(...pointer: string[]): ValidateFunction {
  const steps = pointer.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
  return ajv.compile({ $ref: `openapi.json#/${steps.join('/')}` });
}

describe('real answers', () => {
  let service: TestService;
  let made: Made;
  beforeAll(async () => {
    service = await startService();
    made = await prepareSamples(service);
  });
  afterAll(() => service.close());

  it('are sampled of every operation', () => {
    expect(Object.keys(SAMPLES).sort()).toEqual(routes.map(({ name }) => name).sort());
  });

  it.each(routes.map(({ name, method, path }) => ({ name, method, path })))(
    'of $name are as documented',
    async (route) => {
      const operation = ['paths', route.path, route.method];
      for (const sample of SAMPLES[route.name]?.(made) ?? []) {
        const answer = await service.send(route.method.toUpperCase(), sample.path, sample);
        const asked = `${sample.status} ${sample.path}`;
        expect(answer, asked).toMatchObject({ status: sample.status });
        expect(answer.headers.get('x-request-id'), asked).toMatch(/./);
        if (sample.status === 204 || sample.status === 304) {
          expect([answer.body, responseOf(operation, sample.status)], asked).toEqual([
            '',
            expect.not.objectContaining({ content: expect.anything() }),
          ]);
          continue;
        }
        expect(
          documentedHeaders(operation, sample.status).filter((name) => !answer.headers.has(name)),
          asked,
        ).toEqual([]);
        const mediaType = answer.headers.get('content-type')?.split(';')[0] ?? '';
        const documented = validator(...answerPointer(operation, sample.status, mediaType));
        expect(problems(documented, answer.body), asked).toEqual([]);
        if (sample.status >= 300 || !sample.body) continue;
        const accepted = validator(...operation, 'requestBody', 'content', 'application/json', 'schema');
        expect(problems(accepted, sample.body), asked).toEqual([]);
      }
    },
  );

  it.each([...new Set(routes.map(({ path }) => path))])('to a wrong method of %s are as documented', async (path) => {
    const [method = ''] = Object.keys(document.paths[path] ?? {});
    const answer = await service.send('PUT', path.replace(/\{\w+\}/g, randomUUID()));
    expect(answer.status).toBe(405);
    expect(problems(validator(...answerPointer(['paths', path, method], 405)), answer.body)).toEqual([]);
  });
});

function responseOf([, path = '', method = '']: readonly string[], status: number) {
  const answer = document.paths[path]?.[method]?.responses[status];
  if (!answer) throw new Error(`${method} ${path} documents no ${status}`);
  return answer;
}

/** What is described with the answer itself; headers of errors stand where they are told once for all. */
function documentedHeaders(operation: readonly string[], status: number): string[] {
  return Object.keys(responseOf(operation, status).headers ?? {});
}

function answerPointer(operation: readonly string[], status: number, mediaType = 'application/json'): string[] {
  const answer = responseOf(operation, status);
  const pointer = answer.$ref?.split('/').slice(1) ?? [...operation, 'responses', String(status)];
  return [...pointer, 'content', mediaType, 'schema'];
}

function problems(validate: ValidateFunction, value: unknown): unknown[] {
  return validate(value) ? [] : [...(validate.errors ?? []), value];
}
