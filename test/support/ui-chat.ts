import { randomUUID } from 'node:crypto';
import { Chat } from '@ai-sdk/react';
import {
  asSchema,
  type ChatInit,
  DefaultChatTransport,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai';
import type { Client } from './client.ts';
import { DEMO_AGENT_ID } from './service.ts';
import { until } from './until.ts';

export interface UiOptions {
  readonly deploymentId?: string;
  readonly id?: string;
  /** Null: without credentials. Default: the key of the client. */
  readonly key?: string | null;
  /** Further fields of each request. */
  readonly body?: object;
}

export const uiPath = (deploymentId = DEMO_AGENT_ID) => `/v1/runner/${deploymentId}/ui`;

/** The transport of the AI SDK, with nothing but options. */
export function transportOf({ url, key }: Client, options: UiOptions = {}): DefaultChatTransport<UIMessage> {
  const credential = options.key === undefined ? key : options.key;
  return new DefaultChatTransport({
    api: `${url}${uiPath(options.deploymentId)}`,
    headers: credential === null ? {} : { authorization: `Bearer ${credential}` },
    ...(options.body && { body: options.body }),
  });
}

/** A chat of the AI SDK without a page. */
export function chatOf(client: Client, options: UiOptions = {}, init: ChatInit<UIMessage> = {}): Chat<UIMessage> {
  return new Chat({ id: options.id ?? randomUUID(), transport: transportOf(client, options), ...init });
}

/** Stops the turn, as the button of a page does. */
export function stopChat({ url, key }: Client, id: string, deploymentId?: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`${url}${uiPath(deploymentId)}/${id}/stop`, { method: 'POST', headers });
}

/** The text of a message. */
export function textIn(message: UIMessage | undefined): string {
  return (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('|');
}

/** The calls of tools in a message. */
export function callsIn(message: UIMessage | undefined) {
  return (message?.parts ?? []).flatMap((part) => ('toolCallId' in part ? [part] : []));
}

/** Waits until a chat satisfies a condition. */
export function whenChat(chat: Chat<UIMessage>, holds: (chat: Chat<UIMessage>) => boolean): Promise<unknown> {
  return until(async () => holds(chat) || undefined);
}

/** The chunks of a response. Each passes the schema of the AI SDK. */
export async function chunksOf(response: Response): Promise<UIMessageChunk[]> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
  if (lines.pop() !== 'data: [DONE]') throw new Error('The stream has no end.');
  return Promise.all(lines.map((line) => chunkOf(JSON.parse(line.slice('data: '.length)))));
}

async function chunkOf(value: unknown): Promise<UIMessageChunk> {
  const result = await asSchema(uiMessageChunkSchema).validate?.(value);
  if (!result?.success) throw new Error(`not a chunk: ${JSON.stringify(value)}`, { cause: result?.error });
  return result.value;
}

/** A message of the user, as the AI SDK sends it. */
export function userMessage(text: string): UIMessage {
  return { id: randomUUID(), role: 'user', parts: [{ type: 'text', text }] };
}
