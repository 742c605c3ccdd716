import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect } from 'vitest';
import { ModelError, type ModelRequest, type ModelStep } from '../../src/domain/agent/model-port.ts';
import { modelsAt } from './provider-models.ts';

const closes: (() => void)[] = [];
/** Closes the providers of a test file after each of its tests. */
export function closeProviders(): void {
  afterEach(() => {
    for (const close of closes.splice(0)) close();
  });
}

type Respond = (response: ServerResponse, path: string) => void;

/** Starts a provider that responds to its requests in turn. The last response repeats. */
export async function startProvider(...responds: readonly Respond[]): Promise<{ url: string; count: () => number }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const respond = responds[Math.min(count, responds.length - 1)];
      count += 1;
      respond?.(response, request.url ?? '');
    });
  });
  closes.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count };
}

const LOOK = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };

export function step(url: string, model = 'openai:any', changes: Partial<ModelRequest> = {}): Promise<ModelStep> {
  const { signal } = new AbortController();
  const messages = [{ role: 'user', content: 'Hello' }] as const;
  return modelsAt(`${url}/v1`).step({
    ...{ model, instructions: '', messages, tools: [LOOK], timeoutMs: 20_000, signal },
    ...changes,
  });
}

export async function failureOf(result: Promise<unknown>): Promise<ModelError> {
  const failure = await result.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ModelError);
  return failure as ModelError;
}

export const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
export const delta = (fields: object) => event({ choices: [{ index: 0, delta: fields }] });
export const end = (reason = 'stop') => event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
export const stream =
  (...events: readonly string[]): Respond =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''));
  };

/** The step of a model whose provider sends these events. */
export const reply = async (...events: readonly string[]) => step((await startProvider(stream(...events))).url);
