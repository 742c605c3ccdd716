import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/contract/errors.ts';
import type { DeclaredErrors } from '../../src/graphql/schema/mutation.ts';
import { internalSchema, publicSchema } from '../../src/graphql/schema/schema.ts';
import { errorResponses } from '../../src/rest/openapi-errors.ts';
import { loadRoutes } from '../../src/rest/router.ts';
import { ROOT } from '../support/database.ts';
import { ERROR_ROWS } from '../support/error-rows.ts';
import { mutationOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback', allowLoopback: true });
});
afterAll(() => service.close());

const mutations = Object.values(publicSchema.getMutationType()?.getFields() ?? {});

const declared = mutations.flatMap(({ name, extensions }) =>
  (extensions as unknown as DeclaredErrors).errors.map((code) => `${name} ${code}`),
);

/** Mutations without input. Each has its own test. */
const WITHOUT_INPUT = [
  'signOut unauthorized',
  'testSignInSettings invalid_request',
  'removeEndUserIssuer not_found',
  'testEndUserIssuer invalid_request',
];

const ROUTES = loadRoutes(internalSchema, ROOT).filter(({ operation }) => operation.operation === 'mutation');

describe('the error responses of a REST operation', () => {
  it.each(ROUTES.map((route) => [route.name, route] as const))('%s: are those of its mutation', (_name, route) => {
    const statuses = Object.keys(errorResponses(route)).map(Number);
    const { errors } = route.field.extensions as unknown as DeclaredErrors;
    const own = new Set(errors.map((code) => ERROR_CODES[code].status as number));
    // 400 and 409 are also responses of the pipeline: for the body, and for a key whose first request is running.
    for (const status of [404, 410, 412])
      expect([status, statuses.includes(status)]).toEqual([status, own.has(status)]);
    for (const status of own) expect(statuses).toContain(status);
  });
});

describe('the errors that a mutation declares', () => {
  it('have one row each', () => {
    expect([...Object.keys(ERROR_ROWS), ...WITHOUT_INPUT].sort()).toEqual([...declared].sort());
  });

  it.each(Object.entries(ERROR_ROWS))('%s: is returned as a member of the union, and by REST', async (row, provoke) => {
    const [name = '', code] = row.split(' ') as [string, ErrorCode];
    const { input, key, rest } = await provoke(service);
    const address = { 'x-forwarded-for': `2001:db8:${Math.floor(Math.random() * 65_535).toString(16)}::1` };
    const options = { ...(key && { key }), headers: address };
    const { body } = await service.graphql(mutationOf(name, '{ __typename }'), { input }, options);
    expect(body.errors).toBeUndefined();
    expect(body.data[name]).toMatchObject({ code: code.toUpperCase(), message: expect.any(String) });
    if (!rest) return;
    const { method, path, ...request } = rest;
    const response = await service.send(method, path, { ...request, headers: { ...address, ...request.headers } });
    expect([response.status, response.body.error?.code]).toEqual([ERROR_CODES[code].status, code]);
  });

  it.each([
    ['testSignInSettings', 'INVALID_REQUEST', 'InvalidInput'],
    ['testEndUserIssuer', 'INVALID_REQUEST', 'InvalidInput'],
    ['removeEndUserIssuer', 'NOT_FOUND', 'NotFound'],
  ])('%s %s: is returned if nothing is configured', async (name, code, type) => {
    const { body } = await service.graphql(
      `mutation { ${name} { __typename ... on Error { code } } }`,
      {},
      { key: await openSession(service, 'admin') },
    );
    expect(body.data[name]).toEqual({ __typename: type, code });
  });

  it('signOut unauthorized: is returned if the session has already ended', async () => {
    const key = await openSession(service, 'viewer');
    const { body } = await service.graphql(
      'mutation { first: signOut { __typename } second: signOut { __typename ... on Error { code } } }',
      {},
      { key },
    );
    expect(body.data).toEqual({
      first: { __typename: 'SignOutPayload' },
      second: { __typename: 'InvalidCredentials', code: 'UNAUTHORIZED' },
    });
  });
});
