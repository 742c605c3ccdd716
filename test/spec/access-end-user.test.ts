import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendOf } from '../support/all-operations.ts';
import { fromManyAddresses } from '../support/client.ts';
import { endUserToken, SET_ISSUER } from '../support/end-users.ts';
import { createFixtures, createFixturesFor, type Fixtures } from '../support/fixtures.ts';
import { AUDIENCE, ISSUER, type JwksServer, newSigningKey, signJwt, startJwksServer } from '../support/jwks-server.ts';
import { expectNothingOf, expectVerdict, ON_CONVERSATIONS, OPERATIONS, verdict } from '../support/reach-cases.ts';
import { sampleRefusals } from '../support/refusal-sample.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

/** What an end user can use for their own conversations (docs/end-users.md). Everything else is 403. */
const IN_REACH = ON_CONVERSATIONS;

let service: TestService;
let fixtures: Fixtures;
let jwks: JwksServer;
/** The credentials of the owner of every conversation of the fixtures, and of another user of the same deployment. */
let owner: Readonly<Record<Kind, string>>;
let stranger: Readonly<Record<Kind, string>>;

const KINDS = ['token', 'JWT'] as const;
type Kind = (typeof KINDS)[number];

beforeAll(async () => {
  service = fromManyAddresses(await startService({ trustProxy: 'loopback', federation: true }));
  fixtures = await createFixtures(service);
  const key = await newSigningKey('one');
  jwks = await startJwksServer();
  await jwks.publish(key);
  const { deploymentId } = fixtures;
  const input = { issuer: ISSUER, audience: AUDIENCE, jwksUrl: jwks.url, deploymentIds: [deploymentId] };
  await service.graphql(SET_ISSUER, { input }, { key: await openSession(service, 'owner') });
  const credentialsOf = async (user: string) => ({
    token: await endUserToken(service, deploymentId, user, { ttlSeconds: 3_600 }),
    JWT: await signJwt(key, user),
  });
  owner = await credentialsOf('owner');
  stranger = await credentialsOf('stranger');
});
afterAll(async () => {
  jwks.close();
  await service.close();
});

/** The fixtures are made with a key. Their conversations become those of the owner, which only the test can do. */
async function own(target: Fixtures): Promise<Fixtures> {
  const { prisma } = service.service.services.stores;
  const ids = [target.conversationId, target.waiting.conversationId];
  await prisma.$transaction([
    prisma.$executeRaw`ALTER TABLE conversation DISABLE TRIGGER conversation_owner_changed`,
    prisma.conversation.updateMany({ where: { id: { in: ids } }, data: { endUser: 'owner' } }),
    prisma.$executeRaw`ALTER TABLE conversation ENABLE TRIGGER conversation_owner_changed`,
  ]);
  return target;
}

describe('an end user', () => {
  it('has a row for everything in their reach', () => {
    const names = new Set(OPERATIONS.map(({ name }) => name));
    expect(IN_REACH.filter((name) => !names.has(name))).toEqual([]);
  });
});

/** Whose conversation is requested. */
const CASES = ['own', 'foreign'] as const;

/** Both credentials lead to the same caller, so a sample is enough for one of them. */
const refusalsOf = {
  token: sampleRefusals(OPERATIONS, () => CASES),
  JWT: sampleRefusals(
    OPERATIONS,
    () => CASES,
    () => true,
  ),
};

describe.each(KINDS)('an end user with a %s', (kind) => {
  describe.each(OPERATIONS)('$name', (operation) => {
    const send = sendOf(operation);
    const cases = IN_REACH.includes(operation.name) ? CASES : refusalsOf[kind](operation);

    if (cases.includes('own'))
      it(`is ${verdict(operation.name, IN_REACH)} for their own conversations`, async () => {
        const target = await own(await createFixturesFor(service, operation, fixtures));
        expectVerdict(operation, IN_REACH, await send(service, owner[kind], target));
      });

    if (cases.includes('foreign'))
      it('shows and changes nothing of another user of the same deployment', async () => {
        const target = await own(await createFixturesFor(service, operation, fixtures));
        expectNothingOf(target, operation, await send(service, stranger[kind], target));
      });
  });
});
