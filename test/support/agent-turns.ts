import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';
import type { Client, HttpResponse } from './client.ts';

/** The demo agent's client tool, advertised by the client. */
export const CAPABLE = { client_capabilities: ['lookup_customer'] };

/** A script line that pauses the turn. */
export function lookup(customer: string): string {
  return `/call lookup_customer ${JSON.stringify({ customer_id: customer })}`;
}

/** A turn that waits for its client, with the IDs that a resume names. */
export interface PausedTurn {
  readonly conversationId: string;
  readonly runId: string;
  readonly callId: string;
}

/** Runs a script up to its pause. */
export async function pauseTurn(client: Client, conversationId: string, script: string): Promise<PausedTurn> {
  const { status, body } = await client.agentTurn(script, { conversation_id: conversationId, ...CAPABLE });
  if (status !== 200 || body.run_status !== 'waiting_for_client_action') throw new Error(JSON.stringify(body));
  return { conversationId, runId: body.run_id, callId: body.client_tool_calls[0].call_id };
}

export function resume(
  client: Client,
  { conversationId, callId }: Pick<PausedTurn, 'conversationId' | 'callId'>,
  output: object,
): Promise<HttpResponse> {
  return client.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
    body: { conversation_id: conversationId, tool_results: [{ call_id: callId, output }] },
  });
}

/** An item of the history in REST. Its fields depend on its type. */
export interface HistoryItem {
  readonly id: string;
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly { readonly text: string }[];
  readonly name?: string;
  readonly call_id?: string;
  readonly status?: string;
  readonly output?: object | null;
}

export interface History {
  readonly items: readonly HistoryItem[];
  readonly run_id: string;
  readonly run_status: string;
  readonly pending_client_actions: readonly { readonly call_id: string }[];
}

/** The newest hundred items, oldest first, and the status of the latest run. */
export async function readHistory(client: Client, conversationId: string): Promise<History> {
  const path = `/v2/runner/${DEMO_AGENT_ID}/conversation/${conversationId}/history?limit=100`;
  const { status, body } = await client.send('GET', path);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

export function textOf({ content }: HistoryItem): string {
  return (content ?? []).map(({ text }) => text).join('\n');
}
