import type { ChildProcess } from 'node:child_process';
import { ask } from './asking.ts';
import { startHelper, type Target } from './processes.ts';

/** Readers of streamed replies: each reads one to its end, and then asks for the next. */
export interface StreamOrder {
  readonly url: string;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  readonly body: string;
  readonly concurrency: number;
  /** Over which readers begin, one after another, so that their replies do not begin together. */
  readonly warmUpMs: number;
  readonly durationMs: number;
}

/** Of what came while it was measured: times in milliseconds, of streams that began then. CPU time of the server's process. */
export type StreamFigures = Readonly<Record<'perSecond' | 'byteP50' | 'byteP99' | 'cpuUs', number>>;

let client: ChildProcess | undefined;

/** Puts readers on a server. @throws where a reply is not streamed to its end */
export function stream({ url, pid }: Target, order: Omit<StreamOrder, 'url' | 'pid'>): Promise<StreamFigures> {
  if (!client?.connected) client = startHelper('stream-client');
  return ask<StreamOrder, StreamFigures>(client, { ...order, url, pid });
}
