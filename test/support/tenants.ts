import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import type { Role } from '../../src/contract/roles.ts';
import { SCOPES, type Scope } from '../../src/contract/scopes.ts';
import {
  type DeploymentKind,
  type DoubleTextPolicy,
  ENVIRONMENT_KINDS,
  type EnvironmentKind,
  type ReaderGonePolicy,
} from '../../src/contract/statuses.ts';
import { hashToken, newApiKey, newResetToken, newSessionToken } from '../../src/domain/access/tokens.ts';
import { newTypeId } from '../../src/domain/type-id.ts';
import { type WorkflowConfigInput, workflowConfig } from '../../src/domain/workflows/config.ts';
import { errorOf } from './results.ts';
import type { TestService } from './service.ts';

export interface KeyOptions {
  readonly scopes?: readonly Scope[];
  readonly kind?: EnvironmentKind;
  /** The environment's ID. Default: the first workspace's environment of that kind. */
  readonly environmentId?: string;
  readonly revokedAt?: Date;
  readonly requestsPerMinute?: number;
  readonly expiresAt?: Date;
  readonly allowedIpRanges?: readonly string[];
  readonly deploymentIds?: readonly string[];
}

/** The first workspace, which every service starts with. */
function firstEnvironment({ service }: TestService, kind: EnvironmentKind) {
  const { prisma } = service.services.stores;
  return prisma.environment.findFirstOrThrow({ where: { kind, workspace: { name: 'Demo' } } });
}

/** Stores an API key with these scopes (default: all) and returns the key. */
export async function makeKey(service: TestService, options: KeyOptions = {}): Promise<string> {
  const { scopes = SCOPES, kind = 'live', revokedAt = null, requestsPerMinute = null, ...restrictions } = options;
  const environmentId = options.environmentId ?? (await firstEnvironment(service, kind)).id;
  const key = newApiKey(kind);
  await service.service.services.stores.prisma.apiKey.create({
    data: {
      id: newTypeId('key'),
      environmentId,
      name: 'A test',
      tokenHash: hashToken(key),
      lastFour: key.slice(-4),
      scopes: [...scopes],
      createdAt: new Date(),
      revokedAt,
      requestsPerMinute,
      expiresAt: restrictions.expiresAt ?? null,
      allowedIpRanges: [...(restrictions.allowedIpRanges ?? [])],
      deploymentIds: [...(restrictions.deploymentIds ?? [])],
    },
  });
  return key;
}

/** Rotates the secret of a stored key through the API. */
export async function rotateKey(service: TestService, key: string): Promise<void> {
  const { id } = await service.service.services.stores.prisma.apiKey.findFirstOrThrow({
    where: { tokenHash: hashToken(key) },
  });
  const response = await service.graphql(
    'mutation ($id: ID!) { rotateApiKey(input: { id: $id }) { __typename ... on RotateApiKeyPayload { secret } ... on Error { code message path } } }',
    { id },
  );
  if (errorOf(response)) throw new Error('The key could not be rotated');
}

export interface Workspace {
  readonly id: string;
  readonly environments: Readonly<Record<EnvironmentKind, string>>;
  readonly keys: Readonly<Record<EnvironmentKind, string>>;
  readonly workflowId: number;
  readonly deploymentId: string;
}

/** Another workspace that can run turns. */
export async function makeWorkspace(service: TestService): Promise<Workspace> {
  const { prisma } = service.service.services.stores;
  const at = { createdAt: new Date(), updatedAt: new Date() };
  const { id } = await prisma.workspace.create({
    // Earlier than all else: what has the same time was made by the first start.
    data: { id: randomUUID(), name: 'Another', createdAt: new Date(at.createdAt.getTime() - 1_000) },
  });
  const environments = { live: randomUUID(), test: randomUUID() };
  const keys = { live: '', test: '' };
  for (const kind of ENVIRONMENT_KINDS) {
    await prisma.environment.create({ data: { id: environments[kind], workspaceId: id, kind } });
    keys[kind] = await makeKey(service, { kind, environmentId: environments[kind] });
  }
  const config = JSON.parse(JSON.stringify(workflowConfig.parse({ instructions: 'Be another.' })));
  const workflow = await prisma.workflow.create({ data: { workspaceId: id, name: 'Another', draft: config, ...at } });
  await prisma.workflowVersion.create({
    data: { workflowId: workflow.id, number: 1, config, createdAt: at.createdAt },
  });
  const deploymentId = randomUUID();
  await prisma.deployment.create({
    data: {
      id: deploymentId,
      workspaceId: id,
      workflowId: workflow.id,
      publishedVersion: 1,
      name: 'Another',
      kind: 'agent',
      ...at,
    },
  });
  return { id, environments, keys, workflowId: workflow.id, deploymentId };
}

export interface DeploymentFields {
  readonly kind?: DeploymentKind;
  readonly name?: string;
  readonly triggerRequired?: boolean;
  readonly published?: boolean;
  readonly authRequired?: boolean;
  readonly hostedPage?: boolean;
  readonly allowlist?: string[];
  readonly doubleTextPolicy?: DoubleTextPolicy;
  readonly onReaderGone?: ReaderGonePolicy;
  readonly maxFileBytes?: number;
  readonly fileTypes?: string[];
  readonly allowEditing?: boolean;
}

/** Creates a workflow of the first workspace with one deployment. Returns both IDs. */
export async function makeDeployment(
  service: TestService,
  config: WorkflowConfigInput,
  fields: DeploymentFields = {},
): Promise<{ readonly id: string; readonly workflowId: number }> {
  const { kind = 'chat', name = 'Made', triggerRequired = false, published = true } = fields;
  const { authRequired = true, hostedPage = false, allowlist = [] } = fields;
  const { doubleTextPolicy = 'reject', onReaderGone = 'stop' } = fields;
  const { maxFileBytes = null, fileTypes = [], allowEditing = true } = fields;
  const { prisma } = service.service.services.stores;
  const { workspaceId } = await firstEnvironment(service, 'live');
  const createdAt = new Date();
  const at = { createdAt, updatedAt: createdAt };
  const stored = JSON.parse(JSON.stringify(workflowConfig.parse(config)));
  const workflow = await prisma.workflow.create({ data: { workspaceId, name, triggerRequired, draft: stored, ...at } });
  await prisma.workflowVersion.create({ data: { workflowId: workflow.id, number: 1, config: stored, createdAt } });
  const publishedVersion = published ? 1 : null;
  const settings = {
    publishedVersion,
    name,
    kind,
    authRequired,
    hostedPage,
    allowlist,
    doubleTextPolicy,
    onReaderGone,
    maxFileBytes,
    fileTypes,
    allowEditing,
  };
  const data = { id: randomUUID(), workspaceId, workflowId: workflow.id, ...settings, ...at };
  await prisma.deployment.create({ data });
  return { id: data.id, workflowId: workflow.id };
}

/** The hash of a password that nobody knows. */
const UNKNOWN_PASSWORD_HASH = hash(randomUUID());

export interface MemberOptions {
  /** Default: now. */
  readonly createdAt?: Date;
  readonly email?: string;
  readonly name?: string;
  /** Null for a member who never signs in. */
  readonly password?: string | null;
  /** Default: the first workspace. */
  readonly workspaceId?: string;
  /** Default: true, as for members whom the operator adds. */
  readonly verified?: boolean;
}

/** Creates a member. Returns their user ID. */
export async function makeMember(service: TestService, role: Role, options: MemberOptions = {}): Promise<string> {
  const {
    email = `${role}-${randomUUID()}@example.com`,
    name = role,
    password = null,
    createdAt = new Date(),
    verified = true,
  } = options;
  const { prisma } = service.service.services.stores;
  const workspaceId = options.workspaceId ?? (await firstEnvironment(service, 'live')).workspaceId;
  const passwordHash = await (password === null ? UNKNOWN_PASSWORD_HASH : hash(password));
  const emailVerifiedAt = verified ? createdAt : null;
  const data = { id: randomUUID(), email, name, passwordHash, emailVerifiedAt, createdAt };
  const user = await prisma.user.create({ data });
  await prisma.membership.create({ data: { workspaceId, userId: user.id, role, createdAt, acceptsPassword: true } });
  return user.id;
}

/** Stores a link that sets the password of a new member. Returns its token. */
export async function makeResetToken(service: TestService): Promise<string> {
  const userId = await makeMember(service, 'viewer');
  const token = newResetToken();
  const createdAt = new Date();
  const expiresAt = new Date(createdAt.getTime() + 3_600_000);
  await service.service.services.stores.prisma.passwordReset.create({
    data: { tokenHash: hashToken(token), userId, createdAt, expiresAt },
  });
  return token;
}

/** Opens a session of a member, in `workspace`, by default in their only workspace. Returns the session token. */
export async function openSessionOf(
  service: TestService,
  userId: string,
  { expiresInMs = 3_600_000, workspace }: { readonly expiresInMs?: number; readonly workspace?: string } = {},
): Promise<string> {
  const { prisma } = service.service.services.stores;
  const where = { userId, ...(workspace && { workspaceId: workspace }) };
  const { workspaceId } = await prisma.membership.findFirstOrThrow({ where });
  const token = newSessionToken();
  const createdAt = new Date();
  const expiresAt = new Date(createdAt.getTime() + expiresInMs);
  const tokenHash = hashToken(token);
  await prisma.session.create({ data: { id: randomUUID(), userId, workspaceId, tokenHash, createdAt, expiresAt } });
  return token;
}

/** Creates a signed-in member of the first workspace. Returns the session token. */
export async function openSession(service: TestService, role: Role, expiresInMs?: number): Promise<string> {
  return openSessionOf(service, await makeMember(service, role), expiresInMs === undefined ? {} : { expiresInMs });
}
