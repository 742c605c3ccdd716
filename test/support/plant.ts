import { randomUUID } from 'node:crypto';
import { type PlantedKey, plantKey } from './access-rows.ts';
import type { Client } from './client.ts';
import type { Door } from './every-field.ts';
import { HOOK_FIELDS, type PlantedHooks, plantHooks } from './hook-rows.ts';
import { MEMBER_FIELDS, type PlantedMember, plantMember } from './member-rows.ts';
import { type PlantedResource, plantResource, RESOURCE_FIELDS, RESOURCE_ROUTES } from './resource-rows.ts';
import { DEMO_AGENT_ID, type TestService } from './service.ts';
import { type PlantedLog, plantLog } from './usage-rows.ts';
import { type PlantedWorkflow, plantWorkflow, WORKFLOW_FIELDS } from './workflow-rows.ts';

/** What a workspace keeps in one environment, and a text that stands in all of it. */
export interface Planted {
  readonly marker: string;
  readonly deploymentId: string;
  readonly conversationId: string;
  /** The global id of that conversation. */
  readonly nodeId: string;
  readonly resource: PlantedResource;
  readonly hooks: PlantedHooks;
  /** A conversation that waits for its client. */
  readonly waiting: { readonly conversationId: string; readonly callId: string };
  /** An unused trigger of the deployment, and the workflow of both. */
  readonly trigger: { readonly id: string; readonly workflowId: number; readonly nodeId: string };
  readonly key: PlantedKey;
  readonly log: PlantedLog;
  readonly workflow: PlantedWorkflow;
  readonly member: PlantedMember;
}

export async function plant(owner: TestService): Promise<Planted> {
  const marker = `marker-${randomUUID()}`;
  const conversation = await plantConversation(owner, marker);
  return {
    marker,
    deploymentId: DEMO_AGENT_ID,
    ...conversation,
    waiting: await plantWaiting(owner, marker),
    resource: await plantResource(owner, marker),
    hooks: await plantHooks(owner, marker),
    trigger: await plantTrigger(owner, marker),
    key: await plantKey(owner, marker),
    log: await plantLog(owner, conversation.conversationId),
    workflow: await plantWorkflow(owner, marker),
    member: await plantMember(owner, marker),
  };
}

/** The same, but with something of its own for a door that writes: only what it writes to is planted anew. */
export async function plantFor(owner: TestService, { name, reads }: Door, planted: Planted): Promise<Planted> {
  if (reads) return planted;
  const { marker } = planted;
  const isOf = (...rows: object[]) => rows.some((fields) => name in fields);
  if (isOf(RESOURCE_FIELDS, RESOURCE_ROUTES)) return { ...planted, resource: await plantResource(owner, marker) };
  if (isOf(HOOK_FIELDS)) return { ...planted, hooks: await plantHooks(owner, marker) };
  if (isOf(WORKFLOW_FIELDS)) return { ...planted, workflow: await plantWorkflow(owner, marker) };
  if (isOf(MEMBER_FIELDS)) return { ...planted, member: await plantMember(owner, marker) };
  if (/ApiKey$/.test(name)) return { ...planted, key: await plantKey(owner, marker) };
  if (name === 'Mutation.resumeAgentTurn' || name === 'Mutation.cancelRun')
    return { ...planted, waiting: await plantWaiting(owner, marker) };
  if (/sendMessage|runAgentTurn|deleteConversation|\/conversation/.test(name)) {
    return { ...planted, ...(await plantConversation(owner, marker)) };
  }
  // What is left writes to nothing that was there.
  return planted;
}

const labels = (marker: string) => ({ variables: { NAME: marker }, meta: { label: marker } });

async function plantConversation(owner: Client, marker: string): Promise<Pick<Planted, 'conversationId' | 'nodeId'>> {
  const turn = await owner.agentTurn(marker, labels(marker));
  const { conversation_id: conversationId } = turn.body;
  const node = await owner.graphql('query ($id: UUID!) { conversation(conversationId: $id) { id } }', {
    id: conversationId,
  });
  return { conversationId, nodeId: node.body.data.conversation.id };
}

async function plantWaiting(owner: Client, marker: string): Promise<Planted['waiting']> {
  const { body } = await owner.agentTurn('/ask', { client_capabilities: ['ask_user'], ...labels(marker) });
  return { conversationId: body.conversation_id, callId: body.client_tool_calls[0].call_id };
}

async function plantTrigger(owner: Client, marker: string): Promise<Planted['trigger']> {
  const { body } = await owner.send('POST', `/v1/runner/${DEMO_AGENT_ID}/trigger`, {
    body: { content: [{ type: 'text', text: marker }], variables: { NAME: marker } },
  });
  const node = await owner.graphql(
    'query ($id: UUID!, $trigger: String!) { trigger(deploymentId: $id, triggerId: $trigger) { id } }',
    { id: DEMO_AGENT_ID, trigger: body.id },
  );
  return { id: body.id, workflowId: body.workflow_id, nodeId: node.body.data.trigger.id };
}
