import { TOTP } from 'otpauth';
import { hashRecoveryCode } from '../../src/domain/access/second-factors/recovery-codes.ts';
import { hashToken, newSignInTicket } from '../../src/domain/access/tokens.ts';
import type { HttpResponse } from './client.ts';
import type { TestService } from './service.ts';
import { makeMember } from './tenants.ts';

const ERROR = '... on Error { code message path }';

const START = `mutation ($input: StartSecondFactorInput!) { startSecondFactor(input: $input) {
  __typename ... on StartSecondFactorPayload { enrolmentId expiresAt totp { secret uri } passkeyOptions } ${ERROR} } }`;

const CONFIRM = `mutation ($input: ConfirmSecondFactorInput!) { confirmSecondFactor(input: $input) {
  __typename ... on ConfirmSecondFactorPayload { recoveryCodes } ${ERROR} } }`;

const SIGN_IN = `mutation ($input: SignInInput!) { signIn(input: $input) {
  __typename ... on SignInPayload { token }
  ... on SecondFactorRequired { ticket expiresAt methods enrolmentRequired passkeyOptions } ${ERROR} } }`;

const COMPLETE = `mutation ($input: CompleteSignInInput!) { completeSignIn(input: $input) {
  __typename ... on CompleteSignInPayload { token role workspace { name } } ${ERROR} } }`;

/** The code that an authenticator app shows, `steps` steps from now. */
export function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 });
}

let addresses = 0;

/** Requests of one person about their second factors, each from a new IP address. */
export class FactorClient {
  readonly #service: TestService;

  constructor(service: TestService) {
    this.#service = service;
  }

  async #send(document: string, input: object, key: string | null = null) {
    addresses += 1;
    const headers = { 'x-forwarded-for': `10.0.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}` };
    const { body } = await this.#service.graphql(document, { input }, { key, headers });
    return body.data ? (Object.values(body.data as object)[0] ?? body.errors?.[0]) : body.errors[0];
  }

  signIn(input: object) {
    return this.#send(SIGN_IN, input);
  }

  complete(input: object) {
    return this.#send(COMPLETE, input);
  }

  start(input: object, key: string | null = null) {
    return this.#send(START, input, key);
  }

  confirm(input: object, key: string | null = null) {
    return this.#send(CONFIRM, input, key);
  }

  change(name: string, input: object, key: string) {
    const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
    const fields = name === 'createRecoveryCodes' ? `... on ${type}Payload { recoveryCodes }` : '';
    const document = `mutation ($input: ${type}Input!) { ${name}(input: $input) { __typename ${fields} ${ERROR} } }`;
    return this.#send(document, input, key);
  }

  /** Adds an authenticator app. Returns its secret and the recovery codes. The code of the enrolment can be used again. */
  async enrol(key: string, password: string, name = 'Phone') {
    const { enrolmentId, totp } = await this.start({ kind: 'TOTP', name, password }, key);
    const confirmed = await this.confirm({ enrolmentId, code: codeOf(totp.secret) }, key);
    // Otherwise a test waits for the next time step.
    const where = { id: enrolmentId };
    await this.#service.service.services.stores.prisma.secondFactor.update({ where, data: { lastStep: null } });
    return { secret: totp.secret as string, recoveryCodes: confirmed.recoveryCodes as string[] | null };
  }

  restSignIn(body: object): Promise<HttpResponse> {
    addresses += 1;
    const headers = { 'x-forwarded-for': `10.1.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}` };
    return this.#service.send('POST', '/v1/sessions', { body, key: null, headers });
  }
}

/** Stores the ticket of a sign-in of a member with this recovery code. */
export async function makeTicket(
  service: TestService,
  { ticket = newSignInTicket(), recoveryCode = 'a-code' } = {},
): Promise<string> {
  const userId = await makeMember(service, 'viewer');
  const { prisma } = service.service.services.stores;
  const { workspaceId } = await prisma.membership.findFirstOrThrow({ where: { userId } });
  const createdAt = new Date();
  const expiresAt = new Date(createdAt.getTime() + 600_000);
  await prisma.recoveryCode.create({ data: { userId, codeHash: hashRecoveryCode(userId, recoveryCode), createdAt } });
  await prisma.signInTicket.create({
    data: { tokenHash: hashToken(ticket), userId, workspaceId, createdAt, expiresAt },
  });
  return ticket;
}
