import { randomUUID } from 'node:crypto';
import { inviteToken } from './members.ts';
import { FactorClient, makeTicket } from './second-factors.ts';
import type { TestService } from './service.ts';
import { makeMember, openSession, openSessionOf } from './tenants.ts';
import { NO_UUID, type Provoke } from './turn-error-rows.ts';

const PASSWORD = 'the password of a member';
const UNKNOWN = { ticket: 'ticket_unknown' };

/** A member with an authenticator app. */
async function enrolled(service: TestService) {
  const email = `${randomUUID()}@example.com`;
  const key = await openSessionOf(service, await makeMember(service, 'viewer', { email, password: PASSWORD }));
  await new FactorClient(service).enrol(key, PASSWORD);
  return { email, key };
}

async function signInBody(service: TestService) {
  const { email } = await enrolled(service);
  return { email, password: PASSWORD };
}

const complete = (body: object) => ({ method: 'POST', path: '/v1/sessions/second-factor', body }) as const;

const withSession =
  (input: object): Provoke =>
  async (service) => ({ input, key: await openSession(service, 'owner') });

/** A request for every error that the mutations of second factors declare. */
export const SECOND_FACTOR_ERROR_ROWS: Readonly<Record<string, Provoke>> = {
  'signIn second_factor_required': async (service) => {
    const body = await signInBody(service);
    return { input: body, rest: { method: 'POST', path: '/v1/sessions', body } };
  },
  'acceptInvitation second_factor_required': async (service) => {
    const { email } = await enrolled(service);
    const { prisma } = service.service.services.stores;
    // The account joined another workspace, and has no membership here.
    await prisma.membership.deleteMany({ where: { user: { email } } });
    const token = await inviteToken(service, await openSession(service, 'owner'), email);
    return { input: { token, password: PASSWORD } };
  },
  'completeSignIn invalid_request': async (service) => {
    const body = { ticket: await makeTicket(service) };
    return { input: body, rest: complete(body) };
  },
  'completeSignIn unauthorized': () => ({ input: { ...UNKNOWN, code: '000000' }, rest: complete({ ...UNKNOWN }) }),
  'startSecondFactor invalid_request': withSession({ kind: 'TOTP', name: 'A', password: 'wrong' }),
  'startSecondFactor unauthorized': () => ({ input: { kind: 'TOTP', name: 'A', ...UNKNOWN } }),
  'confirmSecondFactor invalid_request': async (service) => {
    const key = await openSessionOf(service, await makeMember(service, 'viewer', { password: PASSWORD }));
    const started = await new FactorClient(service).start({ kind: 'TOTP', name: 'A', password: PASSWORD }, key);
    return { input: { enrolmentId: started.enrolmentId, code: '000000' }, key };
  },
  'confirmSecondFactor not_found': withSession({ enrolmentId: NO_UUID, code: '000000' }),
  'confirmSecondFactor unauthorized': () => ({ input: { enrolmentId: NO_UUID, ...UNKNOWN } }),
  'removeSecondFactor invalid_request': withSession({ secondFactorId: NO_UUID, password: 'wrong' }),
  'removeSecondFactor not_found': async (service) => {
    const { key } = await enrolled(service);
    return { input: { secondFactorId: NO_UUID, password: PASSWORD }, key };
  },
  'createRecoveryCodes invalid_request': withSession({ password: 'wrong' }),
  'resetSecondFactors invalid_request': async (service) => {
    const userId = await makeMember(service, 'owner');
    return { input: { userId }, key: await openSessionOf(service, userId) };
  },
  'resetSecondFactors not_found': withSession({ userId: NO_UUID }),
};
