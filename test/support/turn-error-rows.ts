import { lookup, pauseTurn, resume } from './agent-turns.ts';
import { useUp } from './budgets.ts';
import { graphText } from './graph-content.ts';
import { makeLegacyRun } from './legacy-run.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, type TestService } from './service.ts';
import { makeDeployment } from './tenants.ts';
import { createTrigger, expireTrigger } from './triggers.ts';
import { until } from './until.ts';

/** The request that provokes an error: the input of the mutation, and the same request to the REST API if it has one. */
export interface Provocation {
  readonly input: object;
  readonly key?: string;
  readonly rest?: {
    readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly path: string;
    readonly body?: object;
    readonly headers?: Record<string, string>;
  };
}

export type Provoke = (service: TestService) => Provocation | Promise<Provocation>;

export const content = graphText('Hello');
export const restContent = [{ type: 'text', text: 'Hello' }];
export const NO_UUID = '00000000-0000-4000-8000-0000000000ff';

const agentPath = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
const chatPath = `/v1/runner/${DEMO_CHAT_ID}/conversation`;

/** A turn in both APIs. */
function turn(version: 'v1' | 'v2', conversationId?: string, triggerId?: string, deployment?: string): Provocation {
  const [id, path] = version === 'v1' ? [DEMO_CHAT_ID, chatPath] : [DEMO_AGENT_ID, agentPath];
  return {
    input: { deploymentId: deployment ?? id, content, conversationId, triggerId },
    rest: {
      method: 'POST',
      path: deployment ? path.replace(id, deployment) : path,
      body: { content: restContent, conversation_id: conversationId, trigger_id: triggerId },
    },
  };
}

function results(conversationId: string, toolResults: readonly { callId: string; output: unknown }[]): Provocation {
  const wire = toolResults.map(({ callId, output }) => ({ call_id: callId, output }));
  return {
    input: { deploymentId: DEMO_AGENT_ID, conversationId, toolResults },
    rest: { method: 'POST', path: agentPath, body: { conversation_id: conversationId, tool_results: wire } },
  };
}

async function paused(service: TestService, script = lookup('c1')) {
  const { body } = await service.agentTurn('Hello');
  return pauseTurn(service, body.conversation_id, script);
}

/** A conversation whose turn runs for some seconds. */
async function running(service: TestService): Promise<string> {
  const { body } = await service.agentTurn('Hello');
  const id: string = body.conversation_id;
  void service.agentTurn('/slow 8\n/say Done', { conversation_id: id });
  const { prisma } = service.service.services.stores;
  await until(async () => (await prisma.run.count({ where: { conversationId: id, status: 'running' } })) > 0);
  return id;
}

async function completed(service: TestService): Promise<string> {
  const { body } = await service.agentTurn('Hello');
  const { prisma } = service.service.services.stores;
  const data = { status: 'completed', completedAt: new Date() } as const;
  await prisma.conversation.updateMany({ where: { id: body.conversation_id }, data });
  return body.conversation_id;
}

async function trigger(service: TestService, deploymentId?: string): Promise<string> {
  return (await createTrigger(service, {}, deploymentId)).body.id;
}

async function expired(service: TestService, deploymentId?: string): Promise<string> {
  const id = await trigger(service, deploymentId);
  await expireTrigger(service, id);
  return id;
}

async function used(service: TestService, deploymentId: string, path: string): Promise<string> {
  const id = await trigger(service, deploymentId);
  await service.send('POST', path, { body: { trigger_id: id } });
  return id;
}

/** The errors of a message, for both versions. */
function messageRows(name: string, version: 'v1' | 'v2'): Record<string, Provoke> {
  const [id, path] = version === 'v1' ? [DEMO_CHAT_ID, chatPath] : [DEMO_AGENT_ID, agentPath];
  return {
    [`${name} invalid_request`]: () => ({
      input: { deploymentId: id, content: [] },
      rest: { method: 'POST', path, body: { content: [] } },
    }),
    [`${name} not_found`]: () => turn(version, NO_UUID),
    [`${name} trigger_required`]: async (service) =>
      turn(version, undefined, undefined, (await makeDeployment(service, {}, { triggerRequired: true })).id),
    [`${name} trigger_conversation_mismatch`]: async (service) => {
      const { body } = await service.send('POST', path, { body: { content: restContent } });
      return turn(version, body.conversation_id, await trigger(service, id));
    },
    [`${name} trigger_expired`]: async (service) => turn(version, undefined, await expired(service, id)),
    [`${name} trigger_already_used`]: async (service) => turn(version, undefined, await used(service, id, path)),
    [`${name} client_action_required`]: async (service) => {
      const { conversationId } = await paused(service);
      return turn(version, conversationId, undefined, DEMO_AGENT_ID);
    },
    [`${name} run_in_progress`]: async (service) => turn(version, await running(service), undefined, DEMO_AGENT_ID),
    [`${name} conversation_completed`]: async (service) =>
      turn(version, await completed(service), undefined, DEMO_AGENT_ID),
  };
}

const RESUMES: Readonly<Record<string, Provoke>> = {
  'resumeAgentTurn invalid_request': async (service) => {
    const { conversationId, callId } = await paused(service);
    const { input, rest } = results(conversationId, [{ callId, output: { customer: {} } }]);
    const body = { ...rest?.body, history_limit: 1_000 };
    return { input: { ...input, historyLimit: 1_000 }, rest: { method: 'POST', path: agentPath, body } };
  },
  'resumeAgentTurn budget_reached': async (service) => {
    const { conversationId, callId } = await paused(service);
    await useUp(service, `conversation:${conversationId}`);
    return results(conversationId, [{ callId, output: { customer: {} } }]);
  },
  'resumeAgentTurn not_found': () => results(NO_UUID, [{ callId: 'call_x', output: {} }]),
  'resumeAgentTurn missing_tool_results': async (service) => {
    const { conversationId, callId } = await paused(service, `${lookup('c1')} && ${lookup('c2')}`);
    return results(conversationId, [{ callId, output: { customer: {} } }]);
  },
  'resumeAgentTurn unknown_call_id': async (service) =>
    results((await paused(service)).conversationId, [{ callId: 'call_x', output: {} }]),
  'resumeAgentTurn invalid_tool_result': async (service) => {
    const { conversationId, callId } = await paused(service);
    return results(conversationId, [{ callId, output: 7 }]);
  },
  'resumeAgentTurn action_result_conflict': async (service) => {
    const call = await paused(service);
    await resume(service, call, { customer: { id: 'c1' } });
    return results(call.conversationId, [{ callId: call.callId, output: { customer: { id: 'c2' } } }]);
  },
  'resumeAgentTurn conversation_completed': async (service) =>
    results(await completed(service), [{ callId: 'call_x', output: {} }]),
  'resumeAgentTurn run_expired': async (service) => {
    const { conversationId, callId } = await makeLegacyRun(service, new Date(Date.now() - 1_000));
    return results(conversationId, [{ callId, output: { customer: {} } }]);
  },
  'resumeAgentTurn action_expired': async (service) => {
    const { conversationId, callId } = await paused(service);
    const data = { expiresAt: new Date(0) };
    await service.service.services.stores.prisma.timelineItem.updateMany({ where: { callId }, data });
    return results(conversationId, [{ callId, output: { customer: {} } }]);
  },
};

const rating = (conversationId: string, messageId: string): Provocation => ({
  input: { conversationId, messageId, rating: 'UP' },
  rest: {
    method: 'PUT',
    path: `/v1/runner/conversation/${conversationId}/messages/${messageId}/rating`,
    body: { rating: 'up' },
  },
});

const oneShot = (deploymentId: string, triggerId?: string): Provocation => ({
  input: { deploymentId, content, triggerId },
  rest: { method: 'POST', path: `/v1/runner/${deploymentId}`, body: { content: restContent, trigger_id: triggerId } },
});

/** A request for every error of turns and of operations on their conversations. */
export const TURN_ERROR_ROWS: Readonly<Record<string, Provoke>> = {
  ...messageRows('sendMessage', 'v1'),
  ...messageRows('runAgentTurn', 'v2'),
  ...RESUMES,
  'runOnce invalid_request': () => ({
    input: { deploymentId: DEMO_CHAT_ID, content: [] },
    rest: { method: 'POST', path: `/v1/runner/${DEMO_CHAT_ID}`, body: { content: [] } },
  }),
  'runOnce not_found': () => oneShot(NO_UUID),
  'runOnce trigger_required': async (service) =>
    oneShot((await makeDeployment(service, {}, { triggerRequired: true })).id),
  'runOnce trigger_expired': async (service) => oneShot(DEMO_CHAT_ID, await expired(service)),
  'runOnce trigger_already_used': async (service) => oneShot(DEMO_CHAT_ID, await used(service, DEMO_CHAT_ID, chatPath)),
  'stopTurn not_found': () => ({
    input: { conversationId: NO_UUID },
    rest: { method: 'POST', path: `/v1/runner/conversation/${NO_UUID}/stop` },
  }),
  'renameConversation not_found': () => ({
    input: { conversationId: NO_UUID, name: 'Blue shoes' },
    rest: { method: 'PATCH', path: `/v1/runner/conversation/${NO_UUID}`, body: { name: 'Blue shoes' } },
  }),
  'renameConversation invalid_request': async (service) => {
    const { conversation_id: conversationId } = (await service.chat('Hello')).body;
    const rest = { method: 'PATCH', path: `/v1/runner/conversation/${conversationId}`, body: { name: ' ' } } as const;
    return { input: { conversationId, name: ' ' }, rest };
  },
  'updateConversation not_found': () => ({
    input: { conversationId: NO_UUID, meta: { shop: 'north' } },
    rest: { method: 'PATCH', path: `/v1/runner/conversation/${NO_UUID}`, body: { meta: { shop: 'north' } } },
  }),
  'updateConversation invalid_request': async (service) => {
    const { conversation_id: conversationId } = (await service.chat('Hello')).body;
    const body = { meta: { page: 1 } };
    const rest = { method: 'PATCH', path: `/v1/runner/conversation/${conversationId}`, body } as const;
    return { input: { conversationId, ...body }, rest };
  },
  'rateMessage not_found': async (service) => rating((await service.agentTurn('Hello')).body.conversation_id, '999999'),
  'rateMessage invalid_request': async (service) => {
    const { conversation_id: id } = (await service.agentTurn('Hello')).body;
    const { body } = await service.send('GET', `/v1/runner/conversation/${id}/messages`);
    return rating(id, String(body.items[0].id));
  },
  'cancelRun not_found': () => ({ input: { conversationId: NO_UUID } }),
  'cancelRun run_in_progress': async (service) => ({ input: { conversationId: await running(service) } }),
  'deleteConversation not_found': () => ({ input: { conversationId: NO_UUID } }),
  'deleteConversation run_in_progress': async (service) => ({ input: { conversationId: await running(service) } }),
};
