import type { ChildProcess } from 'node:child_process';
import { send } from './helper-messages.ts';
import { startHelper, type Target } from './processes.ts';

/** Clients that read a streamed reply to its end and then request the next one. */
export interface StreamOrder {
  readonly url: string;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  readonly body: string;
  /** The last words of a complete reply. */
  readonly end: string;
  readonly concurrency: number;
  /** The period over which clients start one after another, so that their replies do not start together. */
  readonly warmUpMs: number;
  readonly durationMs: number;
}

/**
 * Figures of the measured period: times in milliseconds of streams that started in it, and the CPU time of the server
 * process.
 */
export type StreamFigures = Readonly<Record<'perSecond' | 'byteP50' | 'byteP99' | 'cpuUs', number>>;

let client: ChildProcess | undefined;

/** Runs clients against a server. @throws if a reply is not streamed completely */
export function stream({ url, pid }: Target, order: Omit<StreamOrder, 'url' | 'pid'>): Promise<StreamFigures> {
  if (!client?.connected) client = startHelper('stream-client');
  return send<StreamOrder, StreamFigures>(client, { ...order, url, pid });
}
