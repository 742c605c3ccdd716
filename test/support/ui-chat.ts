import { randomUUID } from 'node:crypto';
import type { Chat } from '@ai-sdk/react';
import { asSchema, type ChatInit, type DefaultChatTransport, type UIMessage, type UIMessageChunk } from 'ai';
import { AI_SDK_6, AI_SDKS, type AiSdk } from './ai-sdks.ts';
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
  /** Default: version 6. */
  readonly sdk?: AiSdk;
}

export const uiPath = (deploymentId = DEMO_AGENT_ID) => `/v1/runner/${deploymentId}/ui`;

/** The transport of the AI SDK, with nothing but options. */
export function transportOf({ url, key }: Client, options: UiOptions = {}): DefaultChatTransport<UIMessage> {
  const credential = options.key === undefined ? key : options.key;
  const { ai, query } = options.sdk ?? AI_SDK_6;
  return new ai.DefaultChatTransport({
    api: `${url}${uiPath(options.deploymentId)}${query}`,
    headers: credential === null ? {} : { authorization: `Bearer ${credential}` },
    ...(options.body && { body: options.body }),
  });
}

/** A chat of the AI SDK without a page. */
export function chatOf(client: Client, options: UiOptions = {}, init: ChatInit<UIMessage> = {}): Chat<UIMessage> {
  const { Chat } = options.sdk ?? AI_SDK_6;
  return new Chat({ id: options.id ?? randomUUID(), transport: transportOf(client, options), ...init });
}

/** Stops the turn, as the button of a page does. */
export function stopChat({ url, key }: Client, id: string, deploymentId?: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
  return fetch(`${url}${uiPath(deploymentId)}/${id}/stop`, { method: 'POST', headers });
}

/** The stored messages of a chat, as a page loads them. */
export async function storedMessages(client: Client, id: string, deploymentId?: string): Promise<UIMessage[]> {
  const headers = { authorization: `Bearer ${client.key}` };
  const response = await fetch(`${client.url}${uiPath(deploymentId)}/${id}`, { headers });
  if (response.status !== 200) throw new Error(await response.text());
  return response.json() as Promise<UIMessage[]>;
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

/** The chunks of a response. Each passes the schemas of every version of the AI SDK. */
export async function chunksOf(response: Response): Promise<UIMessageChunk[]> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
  if (lines.pop() !== 'data: [DONE]') throw new Error('The stream has no end.');
  return Promise.all(lines.map((line) => chunkOf(JSON.parse(line.slice('data: '.length)))));
}

async function chunkOf(value: unknown): Promise<UIMessageChunk> {
  for (const { ai, version } of AI_SDKS) {
    const result = await asSchema(ai.uiMessageChunkSchema).validate?.(value);
    if (!result?.success) throw new Error(`no chunk of ${version}: ${JSON.stringify(value)}`, { cause: result });
  }
  return value as UIMessageChunk;
}

/** A message of the user, as the AI SDK sends it. */
export function userMessage(text: string): UIMessage {
  return { id: randomUUID(), role: 'user', parts: [{ type: 'text', text }] };
}
