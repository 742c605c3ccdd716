import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to the service, or from it to a database, that can be cut: what a bad network is. */
export interface CuttingProxy {
  readonly url: string;
  readonly port: number;
  /** How often connections were cut so far. */
  readonly cuts: number;
  /** Breaks off every connection, as soon as one is open, has been answered on, or has told an event. */
  cut(when: 'open' | 'answered' | 'told'): Promise<void>;
  /** Breaks off every connection, and refuses new ones until it is `up` again. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Holds back all that is sent on any connection, until it is told to `speak`. */
  hush(): void;
  speak(): void;
  close(): Promise<void>;
}

export async function startProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = { open: new Set<Socket>(), answered: new Set<Socket>(), told: new Set<Socket>() };
  const moments = new EventEmitter();
  const ways = new Map<Socket, Socket>();
  let isSilent = false;
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(targetPort), hostname);
    const reach = (moment: keyof typeof sockets) => {
      sockets[moment].add(client);
      moments.emit(moment);
    };
    const end = () => {
      for (const set of Object.values(sockets)) set.delete(client);
      ways.delete(client);
      client.destroy();
      upstream.destroy();
    };
    reach('open');
    upstream.on('data', (bytes) => {
      reach('answered');
      if (bytes.includes('event: next')) reach('told');
    });
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.pipe(upstream).pipe(client);
    ways.set(client, upstream);
    for (const socket of isSilent ? [client, upstream] : []) socket.pause();
  });
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const breakOff = () => {
    for (const socket of sockets.open) socket.resetAndDestroy();
    for (const set of Object.values(sockets)) set.clear();
  };
  const down = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    breakOff();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get cuts() {
      return cuts;
    },
    async cut(when) {
      if (sockets[when].size === 0) await once(moments, when);
      breakOff();
      cuts += 1;
    },
    down,
    up: () => listen(port),
    hush() {
      isSilent = true;
      for (const socket of [...ways].flat()) socket.pause();
    },
    speak() {
      isSilent = false;
      for (const socket of [...ways].flat()) socket.resume();
    },
    close: down,
  };
}
