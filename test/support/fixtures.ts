import { randomUUID } from 'node:crypto';
import { createKeyFixture, type KeyFixture } from './access-operations.ts';
import type { Operation } from './all-operations.ts';
import { makeBudget, newEndUserPlace } from './budgets.ts';
import type { Client } from './client.ts';
import { createDocumentFixture, DOCUMENT_FIELDS, type DocumentFixture } from './document-operations.ts';
import { createFileFixture, type FileFixture } from './file-operations.ts';
import { findGraphFixture, type GraphFixture } from './graph-operations.ts';
import { createMemberFixture, MEMBER_FIELDS, type MemberFixture } from './member-operations.ts';
import {
  createResourceFixture,
  RESOURCE_FIELDS,
  RESOURCE_ROUTES,
  type ResourceFixture,
} from './resource-operations.ts';
import { globalId, publicIdOf } from './results.ts';
import { DEMO_AGENT_ID, type TestService } from './service.ts';
import { findLogFixture, type LogFixture } from './usage-operations.ts';
import { createHookFixtures, HOOK_FIELDS, type HookFixtures } from './webhook-operations.ts';
import { createWorkflowFixture, WORKFLOW_FIELDS, type WorkflowFixture } from './workflow-operations.ts';

/** The data of a workspace in one environment. All of it contains the marker. */
export interface Fixtures {
  readonly marker: string;
  readonly deploymentId: string;
  readonly conversationId: string;
  /** The number of its reply. */
  readonly replyId: number;
  /** The global ID of that conversation. */
  readonly nodeId: string;
  readonly resource: ResourceFixture;
  readonly document: DocumentFixture;
  readonly hooks: HookFixtures;
  /** A conversation that waits for its client. */
  readonly waiting: { readonly conversationId: string; readonly callId: string };
  /** An unused trigger of the deployment, and the workflow of both. */
  readonly trigger: { readonly id: string; readonly workflowId: number; readonly nodeId: string };
  readonly key: KeyFixture;
  readonly log: LogFixture;
  readonly workflow: WorkflowFixture;
  readonly member: MemberFixture;
  readonly graph: GraphFixture;
  readonly file: FileFixture;
}

export async function createFixtures(owner: TestService): Promise<Fixtures> {
  const marker = `marker-${randomUUID()}`;
  const conversation = await createConversationFixture(owner, marker);
  const workflow = await createWorkflowFixture(owner, marker);
  const member = await createMemberFixture(owner, marker);
  const hooks = await createHookFixtures(owner, marker);
  return {
    marker,
    deploymentId: DEMO_AGENT_ID,
    ...conversation,
    waiting: await createWaitingFixture(owner, marker),
    resource: await createResourceFixture(owner, marker),
    document: await createDocumentFixture(owner, marker),
    hooks,
    trigger: await createTriggerFixture(owner, marker),
    key: await createKeyFixture(owner, marker),
    log: await findLogFixture(owner, conversation.conversationId),
    workflow,
    member,
    file: await createFileFixture(owner, marker),
    graph: await findGraphFixture(owner, marker, { ...conversation, ...workflow, ...member, ...hooks }),
  };
}

/** The same fixtures, with a new target for an operation that writes. */
export async function createFixturesFor(
  owner: TestService,
  { name, reads }: Operation,
  fixtures: Fixtures,
): Promise<Fixtures> {
  if (reads) return fixtures;
  const { marker } = fixtures;
  const isIn = (...rows: object[]) => rows.some((fields) => name in fields);
  if (isIn(RESOURCE_FIELDS, RESOURCE_ROUTES))
    return { ...fixtures, resource: await createResourceFixture(owner, marker) };
  if (isIn(DOCUMENT_FIELDS)) return { ...fixtures, document: await createDocumentFixture(owner, marker) };
  if (isIn(HOOK_FIELDS)) return { ...fixtures, hooks: await createHookFixtures(owner, marker) };
  if (isIn(WORKFLOW_FIELDS)) return { ...fixtures, workflow: await createWorkflowFixture(owner, marker) };
  if (isIn(MEMBER_FIELDS)) return { ...fixtures, member: await createMemberFixture(owner, marker) };
  if (/deleteTrigger|^DELETE .*trigger/.test(name))
    return { ...fixtures, trigger: await createTriggerFixture(owner, marker) };
  if (/removeBudget|^DELETE .*budget/.test(name))
    return {
      ...fixtures,
      graph: { ...fixtures.graph, budget: await likeBudget(owner, fixtures.graph.budget, marker) },
    };
  if (/ApiKey$/.test(name)) return { ...fixtures, key: await createKeyFixture(owner, marker) };
  if (/resume_conversation|resumeAgentTurn/.test(name) || name === 'Mutation.cancelRun' || /stop/i.test(name))
    return { ...fixtures, waiting: await createWaitingFixture(owner, marker) };
  if (
    /sendMessage|editMessage|regenerateTurn|selectVariant|forkConversation|rateMessage|takeOver|sendAsMember|handBack|addConversationNote|deleteConversationNote|assignConversation|setPresence|suggestReply|renameConversation|updateConversation|runAgentTurn|deleteConversation|\/conversation/.test(
      name,
    )
  ) {
    return { ...fixtures, ...(await createConversationFixture(owner, marker)) };
  }
  // The remaining operations change no existing fixture.
  return fixtures;
}

/** Another budget in the environment of a budget. Returns its global ID. */
async function likeBudget({ service }: TestService, budget: string, endUser: string): Promise<string> {
  const { prisma } = service.services.stores;
  const { environmentId } = await prisma.budget.findFirstOrThrow({ where: { id: publicIdOf(budget) } });
  return globalId('Budget', await makeBudget(prisma, { environmentId, place: newEndUserPlace(endUser) }));
}

const labels = (marker: string) => ({ variables: { NAME: marker }, meta: { label: marker } });

async function createConversationFixture(
  owner: Client,
  marker: string,
): Promise<Pick<Fixtures, 'conversationId' | 'nodeId' | 'replyId'>> {
  const turn = await owner.agentTurn(marker, labels(marker));
  const { conversation_id: conversationId } = turn.body;
  const node = await owner.graphql('query ($id: ID!) { conversation(id: $id) { id } }', {
    id: conversationId,
  });
  const { body } = await owner.send('GET', `/v1/runner/conversation/${conversationId}/messages`);
  return { conversationId, nodeId: node.body.data.conversation.id, replyId: body.items.at(-1).id };
}

async function createWaitingFixture(owner: Client, marker: string): Promise<Fixtures['waiting']> {
  const questions = [{ id: 'name', question: marker, input_type: 'text' }];
  const { body } = await owner.agentTurn(`/say ${marker} && /call ask_user ${JSON.stringify({ questions })}`, {
    client_capabilities: ['ask_user'],
    ...labels(marker),
  });
  return { conversationId: body.conversation_id, callId: body.client_tool_calls[0].call_id };
}

async function createTriggerFixture(owner: Client, marker: string): Promise<Fixtures['trigger']> {
  const { body } = await owner.send('POST', `/v1/runner/${DEMO_AGENT_ID}/trigger`, {
    body: { content: [{ type: 'text', text: marker }], variables: { NAME: marker } },
  });
  const node = await owner.graphql(
    'query ($id: ID!, $trigger: ID!) { trigger(deploymentId: $id, id: $trigger) { id } }',
    { id: DEMO_AGENT_ID, trigger: body.id },
  );
  return { id: body.id, workflowId: body.workflow_id, nodeId: node.body.data.trigger.id };
}
