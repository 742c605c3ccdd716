import type { PrismaClient } from '../../src/db/generated/client.ts';
import { hashPassword } from '../../src/domain/access/password-hash.ts';
import { hashToken } from '../../src/domain/access/tokens.ts';
import { makeBudget, newEndUserPlace } from './budgets.ts';
import type { Client, HttpResponse } from './client.ts';
import { DOCUMENT } from './openapi.ts';
import { resultOf } from './results.ts';
import { makeTicket } from './second-factors.ts';
import { DEMO_CHAT_ID, type TestService } from './service.ts';
import { makeDeployment, makeResetToken, openSession } from './tenants.ts';
import { uploadFile } from './uploads.ts';
import { workflowsOf } from './workflows.ts';

/** The parts of a parameter that a request needs. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: object;
  readonly explode?: boolean;
  readonly example?: string | number;
}

/** An operation of the document, with everything that a request needs. */
export interface DocumentedOperation {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly parameters: readonly Parameter[];
  /** The schema of its body. */
  readonly body: object | undefined;
  /** Its example bodies, by name. */
  readonly examples: Readonly<Record<string, { readonly value: object }>>;
  readonly success: number;
  /** Whether only members with a session can use it. */
  readonly requiresSession: boolean;
}

export const OPERATIONS: readonly DocumentedOperation[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const { parameters, security } = operation as unknown as { parameters?: Parameter[]; security: object[] };
    const content = operation.requestBody?.content['application/json'];
    return {
      name: operation.operationId,
      path,
      method: method.toUpperCase(),
      parameters: parameters ?? [],
      body: content?.schema,
      examples: (content?.examples ?? {}) as DocumentedOperation['examples'],
      success: Number(Object.keys(operation.responses).find((status) => status.startsWith('2'))),
      requiresSession:
        security.length > 0 &&
        !security.some((scheme) => 'apiKey' in scheme || !('bearer' in scheme || 'session' in scheme)),
    };
  }),
);

/** The parameters of a request by name, and its body. */
export interface RequestValues {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Sends a request of an operation. Parameters are serialized as the document says. */
export function sendDocumented(
  client: Pick<Client, 'send'>,
  { method, path, parameters }: DocumentedOperation,
  values: RequestValues,
  key: string,
): Promise<HttpResponse> {
  const valuesIn = (location: Parameter['in']) =>
    parameters.filter((parameter) => parameter.in === location && values.parameters[parameter.name] !== undefined);
  const target = valuesIn('path').reduce(
    (text, { name }) => text.replace(`{${name}}`, encodeURIComponent(String(values.parameters[name]))),
    path,
  );
  const query = valuesIn('query').flatMap(({ name }) => inQuery(name, values.parameters[name]));
  const headers = valuesIn('header').map(({ name }) => [name, String(values.parameters[name])] as const);
  return client.send(method, query.length > 0 ? `${target}?${query.join('&')}` : target, {
    key,
    // A feed does not end.
    ...(path.endsWith('/stream') && method === 'GET' && { until: '' }),
    headers: Object.fromEntries(headers),
    ...(values.body !== undefined && { body: values.body }),
  });
}

/** A list repeats its name for each item. An object becomes one pair per entry. */
function inQuery(name: string, value: unknown): string[] {
  const pair = (key: string, text: unknown) => `${encodeURIComponent(key)}=${encodeURIComponent(String(text))}`;
  if (Array.isArray(value)) return value.map((item) => pair(name, item));
  if (typeof value !== 'object' || value === null) return [pair(name, value)];
  return Object.entries(value).map(([key, text]) => pair(key, text));
}

/** Changes the ID of a row, and of the rows that refer to it. Foreign keys would reject each change alone. */
function changeId(prisma: PrismaClient, table: string, from: string, to: string): Promise<void> {
  return prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SET LOCAL session_replication_role = replica`;
    const references = await tx.$queryRaw<{ table: string; column: string }[]>`
      SELECT conrelid::regclass::text AS table, attname::text AS column
      FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[array_upper(conkey, 1)]
      WHERE contype = 'f' AND conparentid = 0 AND confrelid = ${table}::regclass`;
    for (const { table: name, column } of [{ table, column: 'id' }, ...references])
      await tx.$executeRawUnsafe(`UPDATE ${name} SET ${column} = '${to}' WHERE ${column} = '${from}'`);
  });
}

/** Creates the data that the document's examples name, with the example IDs. Returns a member's session token. */
export async function createExampleData(tested: TestService): Promise<{ readonly session: string }> {
  const { prisma } = tested.service.services.stores;
  const idOf = (operation: string, name: string) =>
    String(OPERATIONS.find((one) => one.name === operation)?.parameters.find((one) => one.name === name)?.example);
  const chat = (await tested.chat('Hello')).body.conversation_id;
  await changeId(prisma, 'conversation', chat, idOf('ReadMessages', 'conversation_id'));

  const handled = (await tested.chat('Hello')).body.conversation_id;
  await tested.send('POST', `/v1/conversations/${handled}/takeover`, { body: {} });
  await changeId(prisma, 'conversation', handled, idOf('TakeOver', 'conversation_id'));

  const [reply] = await prisma.timelineItem.findMany({
    where: { conversationId: idOf('ReadMessages', 'conversation_id'), role: 'assistant' },
  });
  if (!reply) throw new Error('The conversation has no reply.');
  const replyId = BigInt(idOf('RateMessage', 'message_id'));
  await prisma.timelineItem.updateMany({ where: { id: reply.id }, data: { id: replyId } });
  // The message of the user is the one before its reply.
  const ofUser = { conversationId: reply.conversationId, role: 'user' } as const;
  await prisma.timelineItem.updateMany({ where: ofUser, data: { id: replyId - 1n } });
  const { run_id: tracedRun } = (await tested.agentTurn('Hello')).body;
  await changeId(prisma, 'run', tracedRun, idOf('ReadRunTrace', 'run_id'));

  const paused = (
    await tested.agentTurn('/call lookup_customer {"customer_id":"c1"}\n/say Found.', {
      client_capabilities: ['lookup_customer'],
    })
  ).body;
  const resume = OPERATIONS.flatMap(({ examples }) => Object.entries(examples)).find(([name]) =>
    name.startsWith('resume'),
  );
  const { tool_results } = (resume?.[1].value ?? {}) as { tool_results: readonly { readonly call_id: string }[] };
  await prisma.timelineItem.updateMany({
    where: { conversationId: paused.conversation_id, status: 'pending' },
    data: { callId: tool_results[0]?.call_id ?? '' },
  });
  await changeId(prisma, 'conversation', paused.conversation_id, idOf('ReadHistory', 'conversation_id'));

  const body = { type: 'contact', fields: { name: 'Ada' } };
  const { id, created_at } = (await tested.send('POST', '/v1/resources', { body })).body.data;
  const { environmentId } = await prisma.resource.findFirstOrThrow({ where: { id } });
  await prisma.resource.updateMany({ where: { id }, data: { id: idOf('ReadResource', 'id') } });
  const event = { type: 'resource.created', resourceId: id, payload: body, occurredAt: created_at };
  await prisma.event.create({ data: { ...event, id: idOf('ReadEvent', 'id'), environmentId } });

  for (const operation of ['ReadTrigger', 'DeleteTrigger']) {
    const content = [{ type: 'text', text: 'Where is my order?' }];
    const trigger = await tested.send('POST', `/v1/runner/${DEMO_CHAT_ID}/trigger`, { body: { content } });
    await prisma.trigger.updateMany({ where: { id: trigger.body.id }, data: { id: idOf(operation, 'trigger_id') } });
  }
  const { workspaceId } = await prisma.environment.findUniqueOrThrow({ where: { id: environmentId } });
  const price = { model: 'demo', inputPerMillion: 1, outputPerMillion: 2, updatedAt: new Date() };
  await prisma.modelPrice.create({ data: { workspaceId, ...price } });
  const budgetId = await makeBudget(prisma, { environmentId, place: newEndUserPlace('ada') });
  await prisma.budget.updateMany({ where: { id: budgetId }, data: { id: idOf('ReadBudget', 'budget_id') } });
  const unused = await makeDeployment(tested, {});
  const deploymentId = idOf('DeleteDeployment', 'deployment_id');
  await prisma.deployment.update({ where: { id: unused.id }, data: { id: deploymentId } });
  const { createWorkflow } = workflowsOf(tested);
  const { workflowId } = resultOf(await createWorkflow({ input: { name: 'Unused' } }));
  const workflow = Number(idOf('DeleteWorkflow', 'workflow_id'));
  await prisma.workflow.update({ where: { id: workflowId }, data: { id: workflow } });
  const signIn = OPERATIONS.find(({ name }) => name === 'SignIn')?.examples ?? {};
  const [account] = Object.values(signIn).map(({ value }) => value as { email: string; password: string });
  if (!account) throw new Error('SignIn has no example.');
  const passwordHash = await hashPassword(account.password, 'password');
  await prisma.user.update({
    where: { email: tested.owner.email },
    data: { email: account.email, passwordHash },
  });
  const file = await uploadFile(tested);
  await prisma.storedFile.updateMany({ where: { id: file.id }, data: { id: idOf('ReadFile', 'file_id') } });
  const [reset] = Object.values(OPERATIONS.find(({ name }) => name === 'ResetPassword')?.examples ?? {});
  const { token } = (reset?.value ?? {}) as { token: string };
  await prisma.passwordReset.update({
    where: { tokenHash: hashToken(await makeResetToken(tested)) },
    data: { tokenHash: hashToken(token) },
  });
  const [second] = Object.values(OPERATIONS.find(({ name }) => name === 'CompleteSignIn')?.examples ?? {});
  const { ticket, recovery_code: recoveryCode } = (second?.value ?? {}) as { ticket: string; recovery_code: string };
  await makeTicket(tested, { ticket, recoveryCode });
  return { session: await openSession(tested, 'viewer') };
}
