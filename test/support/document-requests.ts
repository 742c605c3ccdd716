import type { Answer, Client } from './client.ts';
import { DOCUMENT } from './openapi.ts';
import { DEMO_CHAT_ID, type TestService } from './service.ts';
import { openSession } from './tenants.ts';

/** As much of a parameter as a request is made from. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: object;
  readonly explode?: boolean;
  readonly example?: string | number;
}

/** An operation of the document, and all that a request is made from. */
export interface Documented {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly parameters: readonly Parameter[];
  /** The schema of its body. */
  readonly body: object | undefined;
  /** Bodies that it shows, by name. */
  readonly examples: Readonly<Record<string, { readonly value: object }>>;
  readonly success: number;
  /** Whether it is for members who have signed in alone. */
  readonly ofSession: boolean;
}

export const OPERATIONS: readonly Documented[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const { parameters, security } = operation as unknown as { parameters?: Parameter[]; security: object[] };
    const content = operation.requestBody?.content['application/json'];
    return {
      name: operation.operationId,
      path,
      method: method.toUpperCase(),
      parameters: parameters ?? [],
      body: content?.schema,
      examples: (content?.examples ?? {}) as Documented['examples'],
      success: Number(Object.keys(operation.responses).find((status) => status.startsWith('2'))),
      ofSession:
        security.length > 0 &&
        !security.some((scheme) => 'apiKey' in scheme || !('bearer' in scheme || 'session' in scheme)),
    };
  }),
);

/** What a request gives for parameters, by name, and as its body. */
export interface Given {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Sends a request of an operation as the document says that parameters are written. */
export function ask(
  client: Client,
  { method, path, parameters }: Documented,
  given: Given,
  key: string,
): Promise<Answer> {
  const valuesIn = (place: Parameter['in']) =>
    parameters.filter((parameter) => parameter.in === place && given.parameters[parameter.name] !== undefined);
  const target = valuesIn('path').reduce(
    (text, { name }) => text.replace(`{${name}}`, encodeURIComponent(String(given.parameters[name]))),
    path,
  );
  const query = valuesIn('query').flatMap(({ name }) => inQuery(name, given.parameters[name]));
  const headers = valuesIn('header').map(({ name }) => [name, String(given.parameters[name])] as const);
  return client.send(method, query.length > 0 ? `${target}?${query.join('&')}` : target, {
    key,
    headers: Object.fromEntries(headers),
    ...(given.body !== undefined && { body: given.body }),
  });
}

/** A list is its name once for each item; an object's entries stand by themselves. */
function inQuery(name: string, value: unknown): string[] {
  const pair = (key: string, text: unknown) => `${encodeURIComponent(key)}=${encodeURIComponent(String(text))}`;
  if (Array.isArray(value)) return value.map((item) => pair(name, item));
  if (typeof value !== 'object' || value === null) return [pair(name, value)];
  return Object.entries(value).map(([key, text]) => pair(key, text));
}

/** Makes what the document's examples name, under the ids that they name it by; answers a member's session. */
export async function plantExamples(tested: TestService): Promise<{ readonly session: string }> {
  const { prisma } = tested.service.services;
  const idOf = (operation: string, name: string) =>
    String(OPERATIONS.find((one) => one.name === operation)?.parameters.find((one) => one.name === name)?.example);
  const chat = (await tested.chat('Hello')).body.conversation_id;
  await prisma.conversation.update({ where: { id: chat }, data: { id: idOf('ReadMessages', 'conversation_id') } });

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
  await prisma.conversation.update({
    where: { id: paused.conversation_id },
    data: { id: idOf('ReadHistory', 'conversation_id') },
  });

  const body = { type: 'contact', fields: { name: 'Ada' } };
  const { id, created_at } = (await tested.send('POST', '/v1/resources', { body })).body.data;
  const { environmentId } = await prisma.resource.update({ where: { id }, data: { id: idOf('ReadResource', 'id') } });
  const event = { type: 'resource.created', resourceId: id, payload: body, occurredAt: created_at };
  await prisma.event.create({ data: { ...event, id: idOf('ReadEvent', 'id'), environmentId } });

  const content = [{ type: 'text', text: 'Where is my order?' }];
  const trigger = await tested.send('POST', `/v1/runner/${DEMO_CHAT_ID}/trigger`, { body: { content } });
  await prisma.trigger.update({ where: { id: trigger.body.id }, data: { id: idOf('ReadTrigger', 'trigger_id') } });
  return { session: await openSession(tested, 'viewer') };
}
