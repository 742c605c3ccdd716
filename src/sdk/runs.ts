import { type ContentInput, toWireContent } from './content.ts';
import { streamEvents } from './event-stream.ts';
import { sendJson } from './http.ts';
import type { Settings } from './options.ts';
import { fromWireRun, type OneShotRun, type WireRun } from './turn.ts';

/** Options of {@link ParleyClient.run} and {@link ParleyClient.stream}. */
export interface RunOptions {
  /** The message. Optional with `triggerId`. */
  readonly content?: ContentInput | undefined;
  /** Values for the placeholders in the deployment's instructions. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** A prepared message; see `client.trigger`. */
  readonly triggerId?: string | undefined;
  /** Aborts the call. Aborting a stream also stops the reply on the server. */
  readonly signal?: AbortSignal | undefined;
}

/** A part of a streamed reply, or its end. */
export type RunEvent =
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'done'; readonly run: OneShotRun };

const bodyOf = ({ content, variables, triggerId }: RunOptions) => ({
  content: toWireContent(content),
  variables,
  trigger_id: triggerId,
});

export async function runOnce(settings: Settings, options: RunOptions): Promise<OneShotRun> {
  const { signal } = options;
  const path = `/v1/runner/${settings.deploymentId()}`;
  return fromWireRun(await sendJson<WireRun>(settings, { method: 'POST', path, body: bodyOf(options), signal }));
}

export async function* streamOnce(settings: Settings, options: RunOptions): AsyncGenerator<RunEvent, void> {
  const { signal } = options;
  const path = `/v1/runner/${settings.deploymentId()}/stream`;
  for await (const { event, data } of streamEvents(settings, { method: 'POST', path, body: bodyOf(options), signal })) {
    if (event === 'delta') yield { type: 'delta', text: String(data.text) };
    // The data of `done` is the response of the same path without /stream.
    if (event === 'done') yield { type: 'done', run: fromWireRun(data as unknown as WireRun) };
  }
}
