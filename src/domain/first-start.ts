import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { CLIENT_TOOLS, OFFERED_CLIENT_TOOLS } from '../contract/client-tools.ts';
import { SCOPES } from '../contract/scopes.ts';
import { ENVIRONMENT_KINDS, type EnvironmentKind } from '../contract/statuses.ts';
import type { Prisma } from '../db/generated/client.ts';
import type { Sql } from '../db/sql.ts';
import { inTransaction, type Transaction } from '../db/transaction.ts';
import { insertMember } from './access/members/create-member.ts';
import { hashToken, newApiKey, newPassword } from './access/tokens.ts';
import { type CreatedWorkspace, insertWorkspace } from './access/workspaces/create-workspace.ts';
import type { Stores } from './context.ts';
import { newTypeId } from './type-id.ts';
import { type WorkflowConfigInput, workflowConfig } from './workflows/config.ts';

/** Fixed, so that the documentation can show a first request. */
export const DEMO_CHAT_ID = '00000000-0000-4000-8000-000000000001';
export const DEMO_AGENT_ID = '00000000-0000-4000-8000-000000000002';

const DEFAULT_EMAIL = 'demo@example.com';

/** Values that the operator sets. The first start generates the others. */
export interface FirstStartOptions {
  /** The only key that the first start stores, if set. */
  readonly apiKey: { readonly environment: EnvironmentKind; readonly secret: string } | undefined;
  readonly email: string | undefined;
  readonly password: string | undefined;
  /** Whether the demo deployments have public pages. Anyone can then use the tokens of their model. */
  readonly hostedPages: boolean;
}

/** The values that a first start generated. They are shown once, because the database stores only hashes. */
export interface FirstStart {
  /** Undefined if the operator set it. */
  readonly email: string | undefined;
  /** Undefined if the operator set it. */
  readonly password: string | undefined;
  readonly keys: Readonly<Partial<Record<EnvironmentKind, string>>>;
  /** The environment of the key that the operator set. */
  readonly suppliedKey: EnvironmentKind | undefined;
}

/** Limit: duration of the first start. Meanwhile other processes wait for the lock. */
const TIMEOUT_MS = 30_000;

/** Held during the first start, so that only one of several processes fills the database. */
const FIRST_START_LOCK = 7_275_540;

const DEMO_CHAT: WorkflowConfigInput = {
  instructions: 'You are the assistant of a demonstration. Answer briefly. The customer is called {{NAME}}.',
};

const DEMO_AGENT: WorkflowConfigInput = {
  instructions: 'You are an agent that helps the customer {{NAME}}. Ask when something is missing.',
  allowConversationCompletion: true,
  clientTools: [
    ...OFFERED_CLIENT_TOOLS.map((name) => ({ name, description: CLIENT_TOOLS[name].description })),
    {
      name: 'lookup_customer',
      description: 'Looks a customer up in the client application.',
      inputSchema: {
        type: 'object',
        properties: { customer_id: { type: 'string', description: 'The id that the application knows them by.' } },
        required: ['customer_id'],
        additionalProperties: false,
      },
    },
  ],
};

/**
 * Fills an empty database with a workspace, its two environments, an owner, a key for each environment and two
 * published deployments. Returns undefined if the database has a workspace.
 */
export async function firstStart(
  { prisma, sql }: Pick<Stores, 'prisma' | 'sql'>,
  options: FirstStartOptions,
): Promise<FirstStart | undefined> {
  const workspaces = await sql.rows`SELECT FROM workspace LIMIT 1`;
  if (workspaces.length > 0) return undefined;
  const password = options.password ?? newPassword();
  const passwordHash = await hash(password);
  return inTransaction(
    prisma,
    async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${FIRST_START_LOCK})`;
      if ((await tx.workspace.count()) > 0) return undefined;
      const email = options.email ?? DEFAULT_EMAIL;
      // The same for all rows: what is newer was made by a member.
      const at = new Date();
      const workspace = await insertWorkspace(tx, { name: 'Demo', at, newId: randomUUID });
      const { id: workspaceId } = workspace;
      const owner = { id: randomUUID(), workspaceId, email, name: 'Owner', role: 'owner', passwordHash, at } as const;
      await insertMember(tx, owner);
      const keys = await makeKeys(tx, workspace, at, options.apiKey);
      const { hostedPages: hostedPage } = options;
      const chat = { id: DEMO_CHAT_ID, name: 'Demo chat', kind: 'chat', hostedPage } as const;
      const agent = { id: DEMO_AGENT_ID, name: 'Demo agent', kind: 'agent', hostedPage } as const;
      await makeDeployment(tx, { workspaceId, at, ...chat }, DEMO_CHAT);
      await makeDeployment(tx, { workspaceId, at, ...agent }, DEMO_AGENT);
      return {
        email: options.email === undefined ? email : undefined,
        password: options.password === undefined ? password : undefined,
        keys,
        suppliedKey: options.apiKey?.environment,
      };
    },
    { timeoutMs: TIMEOUT_MS },
  );
}

/**
 * Turns off the public pages of the demo deployments, unless somebody changed the deployment since the first start. The
 * first start may have used the demo model, which costs nothing.
 * @returns the number of pages
 */
export function closeDemoPages(sql: Sql): Promise<number> {
  return sql.execute`
    UPDATE deployment SET hosted_page = false, updated_at = now()
    WHERE id IN (${DEMO_CHAT_ID}::uuid, ${DEMO_AGENT_ID}::uuid) AND hosted_page AND updated_at = created_at`;
}

/** Whether the key of BOOTSTRAP_API_KEY exists in a database that had its first start earlier. */
export async function knowsKey(sql: Sql, secret: string): Promise<boolean> {
  const keys = await sql.rows`
    SELECT FROM api_key WHERE token_hash = ${hashToken(secret)} AND revoked_at IS NULL LIMIT 1`;
  return keys.length > 0;
}

async function makeKeys(
  tx: Transaction,
  { environments }: CreatedWorkspace,
  createdAt: Date,
  supplied: FirstStartOptions['apiKey'],
): Promise<FirstStart['keys']> {
  const keys: Partial<Record<EnvironmentKind, string>> = {};
  for (const kind of supplied ? [supplied.environment] : ENVIRONMENT_KINDS) {
    const secret = supplied?.secret ?? newApiKey(kind);
    await tx.apiKey.create({
      data: {
        id: newTypeId('key'),
        environmentId: environments[kind].id,
        name: 'First key',
        tokenHash: hashToken(secret),
        lastFour: secret.slice(-4),
        scopes: [...SCOPES],
        createdAt,
      },
    });
    if (!supplied) keys[kind] = secret;
  }
  return keys;
}

interface DemoDeployment {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly kind: 'chat' | 'agent';
  readonly hostedPage: boolean;
  readonly at: Date;
}

async function makeDeployment(
  tx: Transaction,
  { at, ...deployment }: DemoDeployment,
  input: WorkflowConfigInput,
): Promise<void> {
  const times = { createdAt: at, updatedAt: at };
  const { workspaceId, name } = deployment;
  const config = workflowConfig.parse(input) as Prisma.InputJsonObject;
  const workflow = await tx.workflow.create({
    data: { workspaceId, name, draft: config, ...times },
  });
  await tx.workflowVersion.create({ data: { workflowId: workflow.id, number: 1, config, createdAt: at } });
  await tx.deployment.create({
    data: { ...deployment, workflowId: workflow.id, publishedVersion: 1, ...times },
  });
}
