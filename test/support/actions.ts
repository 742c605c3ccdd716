import type { HistoryItem } from './agent-turns.ts';
import type { Client, SendOptions } from './client.ts';
import { publishedWorkflow, resultOf, type Workflows } from './workflows.ts';

/** What became of the calls of a turn whose script ends with them. */
export interface Called {
  readonly conversationId: string;
  /** What the model was told of each call, in order. */
  readonly outputs: readonly Output[];
  /** Calls as the history has them. */
  readonly items: readonly HistoryItem[];
}

/** A test reads what an action has told, and asserts what it is. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Output = any;

/** Publishes a draft, and answers what runs scripts by it. */
export async function scripted(service: Client, flows: Workflows, draft: object) {
  const { deploymentId, workflowId } = await publishedWorkflow(flows, draft);
  const path = `/v2/runner/${deploymentId}/conversation`;
  const turn = (script: string, fields: object = {}, options: SendOptions = {}) =>
    service.send('POST', path, { ...options, body: { content: [{ type: 'text', text: script }], ...fields } });
  const historyOf = async (conversationId: string, options: SendOptions = {}): Promise<HistoryItem[]> =>
    (await service.send('GET', `${path}/${conversationId}/history`, options)).body.items;
  return {
    deploymentId,
    workflowId,
    turn,
    historyOf,
    /** Calls tools; the demo model then repeats what it was told. */
    async call(script: string, options: SendOptions = {}): Promise<Called> {
      const { status, body } = await turn(script, {}, options);
      if (status !== 200) throw new Error(JSON.stringify(body));
      const told: { readonly output: Output }[] = JSON.parse(body.content);
      const items = await historyOf(body.conversation_id, options);
      return {
        conversationId: body.conversation_id,
        outputs: told.map(({ output }) => output),
        items: items.filter(({ type }) => type !== 'message'),
      };
    },
  };
}

export interface Connection {
  readonly kind: 'http' | 'mcp';
  readonly name: string;
  readonly url: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

/** Connects an integration in the environment of a key, and answers its id. */
export async function connect(service: Client, input: Connection, options: SendOptions = {}): Promise<string> {
  const document = `mutation ($input: ConnectIntegrationInput!) {
    connectIntegration(input: $input) { integrationId } }`;
  return resultOf(await service.graphql(document, { input }, options)).integrationId;
}
