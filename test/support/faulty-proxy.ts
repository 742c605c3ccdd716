import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePorts } from './free-ports.ts';

/** A proxy to the service or to a database that simulates a bad network. */
export interface FaultyProxy {
  readonly url: string;
  readonly port: number;
  /** How often connections were cut. */
  readonly cuts: number;
  /** Breaks every connection once one is open, has received bytes, or has received an event. */
  cut(when: 'open' | 'responded' | 'event'): Promise<void>;
  /** Breaks every connection and refuses new ones until `up`. */
  down(): Promise<void>;
  /** Accepts connections again: to another target, if one is named. */
  up(target?: string): Promise<void>;
  /** Sends new connections to another target. Open connections stay. */
  route(target: string): void;
  /** Holds back all data on every connection until `unpause`. */
  pause(): void;
  unpause(): void;
  close(): Promise<void>;
}

export async function startProxy(target: string): Promise<FaultyProxy> {
  let { hostname, port: targetPort } = new URL(target);
  const sockets = { open: new Set<Socket>(), responded: new Set<Socket>(), event: new Set<Socket>() };
  const events = new EventEmitter();
  const connections = new Map<Socket, Socket>();
  let isSilent = false;
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(targetPort), hostname);
    const recordMoment = (moment: keyof typeof sockets) => {
      sockets[moment].add(client);
      events.emit(moment);
    };
    const end = () => {
      for (const set of Object.values(sockets)) set.delete(client);
      connections.delete(client);
      client.destroy();
      upstream.destroy();
    };
    recordMoment('open');
    upstream.on('data', (bytes) => {
      recordMoment('responded');
      if (bytes.includes('event: next')) recordMoment('event');
    });
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.pipe(upstream).pipe(client);
    connections.set(client, upstream);
    for (const socket of isSilent ? [client, upstream] : []) socket.pause();
  });
  const route = (next: string) => {
    ({ hostname, port: targetPort } = new URL(next));
  };
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('there is no free port');
  const listen = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen();
  const resetConnections = () => {
    for (const socket of sockets.open) socket.resetAndDestroy();
    for (const set of Object.values(sockets)) set.clear();
  };
  const down = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    resetConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get cuts() {
      return cuts;
    },
    async cut(when) {
      if (sockets[when].size === 0) await once(events, when);
      resetConnections();
      cuts += 1;
    },
    down,
    route,
    up(next = target) {
      route(next);
      return listen();
    },
    pause() {
      isSilent = true;
      for (const socket of [...connections].flat()) socket.pause();
    },
    unpause() {
      isSilent = false;
      for (const socket of [...connections].flat()) socket.resume();
    },
    close: down,
  };
}
