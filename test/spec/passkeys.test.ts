import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '../support/authenticator.ts';
import { FactorClient } from '../support/second-factors.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember, openSessionOf } from '../support/tenants.ts';

const PASSWORD = 'the password of a member';
const ORIGIN = 'https://parley.example.com';

let service: TestService;
let factors: FactorClient;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback', publicUrl: ORIGIN });
  factors = new FactorClient(service);
});
afterAll(() => service.close());

const INVALID = { __typename: 'InvalidInput', path: ['passkey'] };
const REJECTED = { __typename: 'InvalidCredentials' };

async function member() {
  const email = `${randomUUID()}@example.com`;
  const userId = await makeMember(service, 'viewer', { email, password: PASSWORD });
  return { email, userId, key: await openSessionOf(service, userId) };
}

const start = (key: string, name = 'Laptop') => factors.start({ kind: 'PASSKEY', name, password: PASSWORD }, key);

/** A member with a passkey. */
async function enrolled() {
  const person = await member();
  const authenticator = new Authenticator();
  const { enrolmentId, passkeyOptions } = await start(person.key);
  const passkey = authenticator.create(passkeyOptions, { origin: ORIGIN });
  const confirmed = await factors.confirm({ enrolmentId, passkey }, person.key);
  expect(confirmed).toMatchObject({ __typename: 'ConfirmSecondFactorPayload' });
  return { ...person, authenticator };
}

const required = (email: string) => factors.signIn({ email, password: PASSWORD });

describe('a passkey', () => {
  it('is added, and then completes each sign-in', async () => {
    const { email, authenticator } = await enrolled();
    const { ticket, methods, passkeyOptions } = await required(email);
    expect(methods).toEqual(['PASSKEY', 'RECOVERY_CODE']);
    expect(passkeyOptions).toMatchObject({
      rpId: 'parley.example.com',
      userVerification: 'required',
      allowCredentials: [{ id: authenticator.id }],
    });
    const passkey = authenticator.get(passkeyOptions, { origin: ORIGIN });
    expect(await factors.complete({ ticket, passkey })).toMatchObject({ token: expect.stringMatching(/^sess_/) });
  });

  it('has an algorithm that each supported version of Node verifies', async () => {
    const { passkeyOptions } = await start((await member()).key);
    expect(passkeyOptions.pubKeyCredParams.map(({ alg }: { alg: number }) => alg)).toEqual([-8, -7, -257]);
  });

  it('is one of several with names, and is registered once', async () => {
    const { key, authenticator } = await enrolled();
    const { enrolmentId, passkeyOptions } = await start(key, 'Key in the drawer');
    expect(passkeyOptions.excludeCredentials).toMatchObject([{ id: authenticator.id }]);
    const again = authenticator.create(passkeyOptions, { origin: ORIGIN });
    expect(await factors.confirm({ enrolmentId, passkey: again }, key)).toMatchObject(INVALID);
    const other = await start(key, 'Key in the drawer');
    const passkey = new Authenticator().create(other.passkeyOptions, { origin: ORIGIN });
    const confirmed = await factors.confirm({ enrolmentId: other.enrolmentId, passkey }, key);
    expect(confirmed).toMatchObject({ recoveryCodes: null });
    const { body } = await service.graphql('{ me { secondFactors { name kind } } }', {}, { key });
    expect(body.data.me.secondFactors).toEqual([
      { name: 'Laptop', kind: 'PASSKEY' },
      { name: 'Key in the drawer', kind: 'PASSKEY' },
    ]);
  });

  it.each([
    ['another site', { origin: 'https://evil.example.com' }],
    ['another RP ID', { origin: ORIGIN, rpId: 'example.com' }],
    ['no user verification', { origin: ORIGIN, userVerified: false }],
  ])('is rejected at registration and sign-in: %s', async (_what, behaviour) => {
    const { key } = await member();
    const { enrolmentId, passkeyOptions } = await start(key);
    const created = new Authenticator().create(passkeyOptions, behaviour);
    expect(await factors.confirm({ enrolmentId, passkey: created }, key)).toMatchObject(INVALID);
    const { email, authenticator } = await enrolled();
    const { ticket, passkeyOptions: options } = await required(email);
    expect(await factors.complete({ ticket, passkey: authenticator.get(options, behaviour) })).toMatchObject(REJECTED);
  });

  it('is rejected with the challenge of another sign-in, or with a used one', async () => {
    const { email, authenticator } = await enrolled();
    const first = await required(email);
    const second = await required(email);
    const old = authenticator.get(first.passkeyOptions, { origin: ORIGIN });
    expect(await factors.complete({ ticket: second.ticket, passkey: old })).toMatchObject(REJECTED);
    const late = authenticator.get(second.passkeyOptions, { origin: ORIGIN });
    expect(await factors.complete({ ticket: second.ticket, passkey: late })).toMatchObject(REJECTED);
  });

  it('is not registered with a used challenge', async () => {
    const { key } = await member();
    const { enrolmentId, passkeyOptions } = await start(key);
    const authenticator = new Authenticator();
    const wrong = authenticator.create(passkeyOptions, { origin: 'https://evil.example.com' });
    expect(await factors.confirm({ enrolmentId, passkey: wrong }, key)).toMatchObject(INVALID);
    const right = authenticator.create(passkeyOptions, { origin: ORIGIN });
    expect(await factors.confirm({ enrolmentId, passkey: right }, key)).toMatchObject(INVALID);
  });

  it('is rejected if its counter shows a copy, if it belongs to another member, or if it is no passkey', async () => {
    const { email, authenticator } = await enrolled();
    const first = await required(email);
    const passkey = authenticator.get(first.passkeyOptions, { origin: ORIGIN });
    expect(await factors.complete({ ticket: first.ticket, passkey })).toMatchObject({ token: expect.any(String) });
    authenticator.counter = 0;
    const second = await required(email);
    const copied = authenticator.get(second.passkeyOptions, { origin: ORIGIN });
    expect(await factors.complete({ ticket: second.ticket, passkey: copied })).toMatchObject(REJECTED);
    const other = await enrolled();
    const third = await required(other.email);
    authenticator.counter = 9;
    const foreign = authenticator.get(third.passkeyOptions, { origin: ORIGIN });
    expect(await factors.complete({ ticket: third.ticket, passkey: foreign })).toMatchObject(REJECTED);
    const fourth = await required(other.email);
    expect(await factors.complete({ ticket: fourth.ticket, passkey: 'text' })).toMatchObject(INVALID);
    expect(await factors.complete({ ticket: fourth.ticket, passkey: { id: 'x'.repeat(20_000) } })).toMatchObject(
      INVALID,
    );
    expect(await factors.complete({ ticket: fourth.ticket, passkey: { id: 'x' } })).toMatchObject(REJECTED);
  });
});
