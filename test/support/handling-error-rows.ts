import { useUp } from './budgets.ts';
import { graphText } from './graph-content.ts';
import type { TestService } from './service.ts';
import { makeDeployment, openSession } from './tenants.ts';
import { NO_UUID, type Provocation, type Provoke } from './turn-error-rows.ts';
import { until } from './until.ts';

const PATHS = { takeOver: 'takeover', sendAsMember: 'member-messages', handBack: 'handback' } as const;

type Operation = keyof typeof PATHS;

/** The request of an operation to both APIs. `rest` is its body in REST. */
function request(operation: Operation, conversationId: string, rest: object = {}, input: object = rest): Provocation {
  const path = `/v1/conversations/${conversationId}/${PATHS[operation]}`;
  return { input: { conversationId, ...input }, rest: { method: 'POST', path, body: rest } };
}

const SAID = [{ content: [{ type: 'text', text: 'Hi' }] }, { content: graphText('Hi') }] as const;

const talked = async (service: TestService, text = 'Hello'): Promise<string> =>
  (await service.agentTurn(text)).body.conversation_id;

const completed = (service: TestService) => talked(service, '/complete\n/say Bye.');

/** A conversation that another person has. */
async function held(service: TestService): Promise<string> {
  const id = await talked(service);
  const headers = { authorization: `Bearer ${await openSession(service, 'developer')}` };
  await service.send('POST', `/v1/conversations/${id}/takeover`, { headers, body: { display_name: 'Anna' } });
  return id;
}

/** A conversation that the caller took over while a turn runs. */
async function takenWhileRunning(service: TestService): Promise<string> {
  const id = await talked(service);
  void service.agentTurn('/slow 8\n/say Done', { conversation_id: id });
  const { prisma } = service.service.services.stores;
  await until(async () => (await prisma.run.count({ where: { conversationId: id, status: 'running' } })) > 0);
  await service.send('POST', `/v1/conversations/${id}/takeover`, { body: { running: 'wait' } });
  return id;
}

/** A request of an operation that only GraphQL has. */
const only = (input: object): Provocation => ({ input });
/** A suggestion in a conversation that the caller took over, after a message of the user, which the demo model reads. */
async function suggestion(service: TestService, text: string): Promise<Provocation> {
  const { id } = await makeDeployment(service, { timeoutSeconds: 1 }, { kind: 'agent' });
  const path = `/v2/runner/${id}/conversation`;
  const say = (said: string, fields = {}) =>
    service.send('POST', path, { body: { content: [{ type: 'text', text: said }], ...fields } });
  const conversationId = (await say('Hello')).body.conversation_id;
  await service.send('POST', `/v1/conversations/${conversationId}/takeover`, { body: {} });
  await say(text, { conversation_id: conversationId });
  return { input: { conversationId } };
}

/** A request for every error of the operations of people who handle conversations. */
export const HANDLING_ERROR_ROWS: Readonly<Record<string, Provoke>> = {
  'takeOver not_found': () => request('takeOver', NO_UUID),
  'takeOver invalid_request': async (service) =>
    request('takeOver', await talked(service), { display_name: ' ' }, { displayName: ' ' }),
  'takeOver conversation_completed': async (service) => request('takeOver', await completed(service)),
  'takeOver handling_conflict': async (service) => request('takeOver', await held(service)),
  'sendAsMember not_found': () => request('sendAsMember', NO_UUID, ...SAID),
  'sendAsMember invalid_request': async (service) => request('sendAsMember', await talked(service), { content: [] }),
  'sendAsMember conversation_completed': async (service) => request('sendAsMember', await completed(service), ...SAID),
  'sendAsMember run_in_progress': async (service) => request('sendAsMember', await takenWhileRunning(service), ...SAID),
  'sendAsMember handling_conflict': async (service) => request('sendAsMember', await held(service), ...SAID),
  'handBack not_found': () => request('handBack', NO_UUID),
  'handBack invalid_request': async (service) =>
    request('handBack', await talked(service), { summary: 'x'.repeat(4_001) }),
  'handBack handling_conflict': async (service) => request('handBack', await held(service)),
  'addConversationNote not_found': () => only({ conversationId: NO_UUID, text: 'Hi' }),
  'addConversationNote invalid_request': async (service) => only({ conversationId: await talked(service), text: ' ' }),
  'deleteConversationNote not_found': () => only({ conversationNoteId: 'note_00000000000000000000000000' }),
  'assignConversation not_found': () => only({ conversationId: NO_UUID, memberId: null }),
  'assignConversation invalid_request': async (service) =>
    only({ conversationId: await talked(service), memberId: NO_UUID }),
  'setPresence not_found': () => ({ input: { conversationId: NO_UUID, isTyping: true } }),
  'suggestReply not_found': () => ({ input: { conversationId: NO_UUID } }),
  'suggestReply conversation_completed': async (service) => ({ input: { conversationId: await completed(service) } }),
  'suggestReply handling_conflict': async (service) => ({ input: { conversationId: await talked(service) } }),
  'suggestReply run_in_progress': async (service) => ({ input: { conversationId: await takenWhileRunning(service) } }),
  'suggestReply model_error': (service) => suggestion(service, '/fail'),
  'suggestReply model_timeout': (service) => suggestion(service, '/slow 3\n/say Done'),
  'suggestReply budget_reached': async (service) => {
    const { input } = await suggestion(service, 'Hello');
    await useUp(service, `conversation:${(input as { readonly conversationId: string }).conversationId}`);
    return { input };
  },
};
