import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { createMember } from '../../src/domain/access/members/create-member.ts';
import { openSession } from '../../src/domain/access/open-session.ts';
import { resetPassword } from '../../src/domain/access/passwords/reset-password.ts';
import { resetUserFactors } from '../../src/domain/access/second-factors/reset.ts';
import type { HttpResponse } from './client.ts';
import type { FakeOidc } from './fake-oidc.ts';
import { removeMember } from './members.ts';
import { errorOf } from './results.ts';
import type { TestService } from './service.ts';
import { callbackOf, operatorAt, PageClient, type PageResponse } from './sign-on.ts';

interface SignOnOptions {
  /** Default: the workspace with the provider. */
  readonly workspace?: string;
  /** The address that the provider sends. Default: the address of the account. */
  readonly address?: string;
}

interface SignedOn {
  readonly page: PageResponse;
  readonly session: string | undefined;
  readonly userId: string | undefined;
}

/** Accounts of people, their passwords, and the provider of one workspace. */
export class Accounts {
  readonly #service: TestService;
  readonly #provider: FakeOidc;
  readonly #workspaceId: string;
  #requests = 0;

  constructor(service: TestService, provider: FakeOidc, workspaceId: string) {
    this.#service = service;
    this.#provider = provider;
    this.#workspaceId = workspaceId;
  }

  address(): string {
    return `${randomUUID()}@corp.test`;
  }

  find(email: string) {
    return this.#prisma.user.findUniqueOrThrow({ where: { email } });
  }

  /** Signs in from a new IP address each time, because attempts are limited per address. */
  signIn(email: string, password: string, workspaceId?: string): Promise<HttpResponse> {
    this.#requests += 1;
    const headers = { 'x-forwarded-for': `192.0.2.${this.#requests % 250}` };
    const body = { email, password, ...(workspaceId && { workspace_id: workspaceId }) };
    return this.#service.send('POST', '/v1/sessions', { body, key: null, headers });
  }

  /** Whether the password opens a session. */
  async opens(email: string, password: string, workspaceId?: string): Promise<boolean> {
    return (await this.signIn(email, password, workspaceId)).status === 201;
  }

  /** A single sign-on of the person with this address. Their ID at the provider is the address. */
  async signOn(
    email: string,
    { workspace = this.#workspaceId, address = email }: SignOnOptions = {},
  ): Promise<SignedOn> {
    const browser = new PageClient(this.#service);
    const { location } = await browser.open(`/sign-in/oidc?workspace=${workspace}`);
    if (!location) throw new Error('There is no redirect');
    this.#provider.plan(location, { claims: { sub: email, email: address } });
    const page = await browser.open(callbackOf(location));
    const user = await this.#prisma.user.findUnique({ where: { email } });
    return { page, session: browser.session, userId: user?.id };
  }

  /** How the member of this session can sign in. */
  async methods(session: string | undefined): Promise<unknown> {
    const { body } = await this.#service.graphql('{ me { signInMethods } }', {}, { key: session ?? null });
    return body.data.me.signInMethods;
  }

  async remove(email: string, key: string): Promise<void> {
    const response = await removeMember(this.#service, key, (await this.find(email)).id);
    if (errorOf(response)) throw new Error(JSON.stringify(response.body));
  }

  /** Makes the rows of an account look as an earlier release left them, with this password. */
  async makeLegacy(email: string, password: string): Promise<void> {
    const data = { passwordHash: await hash(password), emailVerifiedAt: null };
    const { id: userId } = await this.#prisma.user.update({ where: { email }, data });
    await this.#prisma.membership.updateMany({ where: { userId }, data: { acceptsPassword: null } });
  }

  async resetByOperator(email: string, password: string): Promise<void> {
    await resetPassword(await this.#operator(), { email, password });
  }

  async resetFactorsByOperator(email: string): Promise<void> {
    await resetUserFactors(await this.#operator(), email);
  }

  async createByOperator(email: string, password: string): Promise<void> {
    const ctx = await operatorAt(this.#service, this.#workspaceId);
    await createMember(ctx, { email, password, name: 'A', role: 'viewer' });
  }

  async openWithHash(userId: string, passwordHash: string): Promise<unknown> {
    return openSession(await this.#operator(), this.#prisma, userId, this.#workspaceId, { passwordHash });
  }

  async #operator() {
    return { ...(await operatorAt(this.#service, this.#workspaceId)), name: 'test' };
  }

  get #prisma() {
    return this.#service.service.services.stores.prisma;
  }
}
