import { enumNameOf } from '../../src/contract/enum-names.ts';
import type { HistoryItem } from './agent-turns.ts';
import type { Client, SendOptions } from './client.ts';
import { resultOf } from './results.ts';
import { publishedWorkflow, type Workflows } from './workflows.ts';

/** An action of the connection `Bank`. */
export const CHARGE = {
  name: 'charge',
  integration: 'Bank',
  method: 'POST',
  url: '/charges',
  inputSchema: { type: 'object' },
};

/** The results of the calls with which a scripted turn ends. */
export interface ScriptedCalls {
  readonly conversationId: string;
  /** What the model received for each call, in order. */
  readonly outputs: readonly Output[];
  /** The calls in the history. */
  readonly items: readonly HistoryItem[];
}

/** A test reads the output of an action and asserts its shape. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Output = any;

/** Publishes a draft. Returns functions that run scripts on its deployment. */
export async function publishScripted(service: Client, flows: Workflows, draft: object) {
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
    /** Runs a script of tool calls. The demo model then repeats their results. */
    async call(script: string, options: SendOptions = {}): Promise<ScriptedCalls> {
      const { status, body } = await turn(script, {}, options);
      if (status !== 200) throw new Error(JSON.stringify(body));
      const results: { readonly output: Output }[] = JSON.parse(body.content);
      const items = await historyOf(body.conversation_id, options);
      return {
        conversationId: body.conversation_id,
        outputs: results.map(({ output }) => output),
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

/** Connects an integration in the environment of a key. Returns its ID. */
export async function connect(service: Client, input: Connection, options: SendOptions = {}): Promise<string> {
  const document = `mutation ($input: ConnectIntegrationInput!) {
    connectIntegration(input: $input) { __typename ... on ConnectIntegrationPayload { integration { integrationId } } ... on Error { code message path } } }`;
  return resultOf(await service.graphql(document, { input: { ...input, kind: enumNameOf(input.kind) } }, options))
    .integrationId;
}
