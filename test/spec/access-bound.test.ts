import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/scopes.ts';
import { sendOf } from '../support/all-operations.ts';
import { fromManyAddresses } from '../support/client.ts';
import { createFixtures, createFixturesFor, type Fixtures } from '../support/fixtures.ts';
import { HANDLING_FIELDS, HANDLING_ROUTES } from '../support/handling-operations.ts';
import { expectNothingOf, expectVerdict, ON_CONVERSATIONS, OPERATIONS, verdict } from '../support/reach-cases.ts';
import { sampleRefusals } from '../support/refusal-sample.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment, makeKey } from '../support/tenants.ts';

/** What a key that is bound to deployments can use (docs/authentication.md). Everything else is 403. */
const IN_REACH: readonly string[] = [
  ...ON_CONVERSATIONS,
  ...Object.keys(HANDLING_FIELDS),
  ...Object.keys(HANDLING_ROUTES),
  'Query.triggers',
  'Mutation.runOnce',
  'Mutation.createTrigger',
  'Mutation.deleteTrigger',
  'DELETE /v1/runner/{deployment_id}/trigger/{trigger_id}',
  'Mutation.createEndUserToken',
  'POST /v1/runner/{deployment_id}/end-user-tokens',
  'Subscription.oneShotStream',
  'POST /v1/runner/{deployment_id}',
  'POST /v2/runner/{deployment_id}',
  'POST /v1/runner/{deployment_id}/stream',
  'POST /v1/runner/{deployment_id}/trigger',
  'GET /v1/runner/{deployment_id}/triggers',
];

let service: TestService;
let fixtures: Fixtures;
/** Keys with all scopes. The API creates no such keys, so the operations themselves must refuse. */
let own: string;
let foreign: string;
beforeAll(async () => {
  service = fromManyAddresses(await startService({ trustProxy: 'loopback', federation: true }));
  fixtures = await createFixtures(service);
  own = await makeKey(service, { scopes: SCOPES, deploymentIds: [fixtures.deploymentId] });
  const other = await makeDeployment(service, {}, { kind: 'agent' });
  foreign = await makeKey(service, { scopes: SCOPES, deploymentIds: [other.id] });
});
afterAll(() => service.close());

/** Whose deployment is requested. */
const CASES = ['own', 'foreign'] as const;
const refusalsOf = sampleRefusals(OPERATIONS, () => CASES);

describe('a key that is bound to deployments', () => {
  it('has a row for everything in its reach', () => {
    const names = new Set(OPERATIONS.map(({ name }) => name));
    expect(IN_REACH.filter((name) => !names.has(name))).toEqual([]);
  });

  describe.each(OPERATIONS)('$name', (operation) => {
    const send = sendOf(operation);
    const cases = IN_REACH.includes(operation.name) ? CASES : refusalsOf(operation);

    if (cases.includes('own'))
      it(`is ${verdict(operation.name, IN_REACH)} for its own deployment`, async () => {
        const response = await send(service, own, await createFixturesFor(service, operation, fixtures));
        expectVerdict(operation, IN_REACH, response);
      });

    if (cases.includes('foreign'))
      it('shows and changes nothing of another deployment', async () => {
        const target = await createFixturesFor(service, operation, fixtures);
        expectNothingOf(target, operation, await send(service, foreign, target));
      });
  });
});
