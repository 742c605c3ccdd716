import { randomUUID } from 'node:crypto';
import type { UIMessageChunk } from 'ai';
import type { Client } from './client.ts';
import { DEMO_AGENT_ID } from './service.ts';
import { uiPath, userMessage } from './ui-chat.ts';

interface Sent {
  readonly id?: string;
  readonly key?: string | null;
  readonly deploymentId?: string;
  readonly headers?: Record<string, string>;
}

/** Errors with their codes, instead of sentences. */
const JSON_ERRORS = { accept: 'application/json' };

/** The requests of the UI message stream, without a client of the AI SDK. */
export interface UiRequests {
  post(body: object, sent?: Sent): Promise<Response>;
  /** Sends a message of the user. Default: in a new chat. */
  say(text: string, sent?: Sent): Promise<Response>;
  reconnect(id: string, sent?: Sent): Promise<Response>;
}

export function requestsOf(client: Client): UiRequests {
  const authorization = (key: string | null) => ({ ...(key && { authorization: `Bearer ${key}` }) });
  const post: UiRequests['post'] = (body, { key = client.key, deploymentId = DEMO_AGENT_ID, headers = {} } = {}) =>
    fetch(client.url + uiPath(deploymentId), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...JSON_ERRORS, ...authorization(key), ...headers },
      body: JSON.stringify(body),
    });
  return {
    post,
    say: (text, { id = randomUUID(), ...sent } = {}) =>
      post({ id, messages: [userMessage(text)], trigger: 'submit-message' }, sent),
    reconnect: (id, { key = client.key, deploymentId = DEMO_AGENT_ID } = {}) =>
      fetch(`${client.url}${uiPath(deploymentId)}/${id}/stream`, {
        headers: { ...JSON_ERRORS, ...authorization(key) },
      }),
  };
}

/** The error of a response. */
export async function errorIn(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; param: string | null } };
  return { status: response.status, code: error.code, param: error.param };
}

/** The text that chunks add up to. */
export function textOf(chunks: readonly UIMessageChunk[]): string {
  return chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('');
}
