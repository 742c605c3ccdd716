import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { SCOPES } from '../contract/scopes.ts';
import { ENVIRONMENT_KINDS, type EnvironmentKind } from '../contract/statuses.ts';
import type { Prisma, PrismaClient } from '../db/generated/client.ts';
import { insertMember } from './access/create-member.ts';
import { insertWorkspace, type MadeWorkspace } from './access/create-workspace.ts';
import { hashToken, newApiKey, newPassword } from './access/tokens.ts';
import { newTypeId } from './type-id.ts';
import { type WorkflowConfigInput, workflowConfig } from './workflows/config.ts';

/** Fixed, so that a first request can be written down before the first start. */
export const DEMO_CHAT_ID = '00000000-0000-4000-8000-000000000001';
export const DEMO_AGENT_ID = '00000000-0000-4000-8000-000000000002';

/** What a first start is told to use instead of making it. */
export interface FirstStartOptions {
  readonly apiKey: { readonly environment: EnvironmentKind; readonly secret: string } | undefined;
  readonly email: string;
  readonly password: string | undefined;
}

/** What it made: shown once, since only hashes are stored. */
export interface FirstStart {
  readonly email: string;
  readonly password: string;
  readonly keys: Readonly<Record<EnvironmentKind, string>>;
}

/** Held while the database is looked at and filled, so that processes which start together fill it once. */
const FIRST_START_LOCK = 7_275_540;

const DEMO_CHAT: WorkflowConfigInput = {
  instructions: 'You are the assistant of a demonstration. Answer briefly. The customer is called {{NAME}}.',
};

const DEMO_AGENT: WorkflowConfigInput = {
  instructions: 'You are an agent that helps the customer {{NAME}}. Ask when something is missing.',
  allowConversationCompletion: true,
  clientTools: [
    { name: 'ask_user', description: 'Asks the user one or more questions and waits for the answers.' },
    { name: 'upload_document', description: 'Asks the user for a document and waits for it.' },
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
 * published deployments. Answers undefined where there is a workspace already.
 */
export async function firstStart(prisma: PrismaClient, options: FirstStartOptions): Promise<FirstStart | undefined> {
  if ((await prisma.workspace.count()) > 0) return undefined;
  const password = options.password ?? newPassword();
  const passwordHash = await hash(password);
  return prisma.$transaction(
    async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${FIRST_START_LOCK})`;
      if ((await tx.workspace.count()) > 0) return undefined;
      const { email } = options;
      const at = new Date();
      const workspace = await insertWorkspace(tx, { name: 'Demo', at, newId: randomUUID });
      const { id: workspaceId } = workspace;
      const owner = { id: randomUUID(), workspaceId, email, name: 'Owner', role: 'owner', passwordHash, at } as const;
      await insertMember(tx, owner);
      const keys = await makeKeys(tx, workspace, options.apiKey);
      await makeDeployment(tx, workspaceId, { id: DEMO_CHAT_ID, name: 'Demo chat', kind: 'chat' }, DEMO_CHAT);
      await makeDeployment(tx, workspaceId, { id: DEMO_AGENT_ID, name: 'Demo agent', kind: 'agent' }, DEMO_AGENT);
      return { email, password, keys };
    },
    { maxWait: 30_000, timeout: 30_000 },
  );
}

/** Whether the key that a first start would have used is one of a database that had its first start long ago. */
export async function knowsKey(prisma: PrismaClient, secret: string): Promise<boolean> {
  return (await prisma.apiKey.count({ where: { tokenHash: hashToken(secret), revokedAt: null } })) > 0;
}

type Transaction = Prisma.TransactionClient;

async function makeKeys(
  tx: Transaction,
  { environments }: MadeWorkspace,
  given: FirstStartOptions['apiKey'],
): Promise<FirstStart['keys']> {
  const keys: Partial<Record<EnvironmentKind, string>> = {};
  for (const kind of ENVIRONMENT_KINDS) {
    const secret = given?.environment === kind ? given.secret : newApiKey(kind);
    await tx.apiKey.create({
      data: {
        id: newTypeId('key'),
        environmentId: environments[kind].id,
        name: 'First key',
        tokenHash: hashToken(secret),
        lastFour: secret.slice(-4),
        scopes: [...SCOPES],
        createdAt: new Date(),
      },
    });
    keys[kind] = secret;
  }
  return keys as FirstStart['keys'];
}

async function makeDeployment(
  tx: Transaction,
  workspaceId: string,
  deployment: { id: string; name: string; kind: 'chat' | 'agent' },
  input: WorkflowConfigInput,
): Promise<void> {
  const at = { createdAt: new Date() };
  const config = workflowConfig.parse(input) as Prisma.InputJsonObject;
  const workflow = await tx.workflow.create({
    data: { workspaceId, name: deployment.name, draft: config, updatedAt: at.createdAt, ...at },
  });
  await tx.workflowVersion.create({ data: { workflowId: workflow.id, number: 1, config, ...at } });
  await tx.deployment.create({
    data: {
      ...deployment,
      workspaceId,
      workflowId: workflow.id,
      publishedVersion: 1,
      hostedPage: true,
      updatedAt: at.createdAt,
      ...at,
    },
  });
}
