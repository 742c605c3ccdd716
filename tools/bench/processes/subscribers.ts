import { connect, type Socket } from 'node:net';
import { serveOrders } from '../core/helper-messages.ts';
import { quantile } from '../core/statistics.ts';
import type { Arrival, SubscriberOrder } from '../core/subscribers.ts';

// Subscribers that only search for the expected text. They are bare sockets, so that thousands of them use few
// resources.

type Order<Kind> = Extract<SubscriberOrder, { readonly kind: Kind }>;

/** The number of connections to open at once. A server would refuse more than its backlog. */
const AT_ONCE = 64;

const TIMEOUT_MS = 30_000;

/** What a server writes to a new subscriber, and at the start of each event. */
const SUBSCRIBED = ':\n\n';
const EVENT = 'event: next';

const sockets: Socket[] = [];

/** Called for every event of a subscriber. */
let onArrival = () => {};

serveOrders<SubscriberOrder>((order) => (order.kind === 'open' ? open(order) : publishEvent(order)));

async function open(order: Order<'open'>): Promise<object> {
  let missing = order.count - sockets.length;
  const openers = Array.from({ length: AT_ONCE }, async () => {
    while (missing > 0) {
      missing -= 1;
      sockets.push(await subscribe(order));
    }
  });
  await Promise.all(openers);
  return {};
}

function subscribe({ url, path, headers, body }: Order<'open'>): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  const lines = Object.entries({ host, ...headers, 'content-length': String(Buffer.byteLength(body)) });
  const head = [`POST ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(`${head}\r\n\r\n${body}`));
    let received = '';
    const readHead = (text: string) => {
      received += text;
      if (!received.includes(SUBSCRIBED)) return;
      if (!received.startsWith('HTTP/1.1 200 ')) reject(new Error(received));
      socket.off('data', readHead).on('data', (more: string) => {
        if (more.includes(EVENT)) onArrival();
      });
      socket.off('close', onClose);
      resolve(socket);
    };
    const onClose = () => reject(new Error(`The server refused a subscriber: ${received}`));
    socket.setEncoding('latin1').on('data', readHead).on('close', onClose).on('error', reject);
  });
}

async function publishEvent({ url, path, headers, body }: Order<'event'>): Promise<Arrival> {
  const times: number[] = [];
  const startedAt = performance.now();
  const all = new Promise<void>((resolve, reject) => {
    const timeout = setTimeout(() => {
      reject(new Error(`${times.length} of ${sockets.length} had received the event after ${TIMEOUT_MS} ms`));
    }, TIMEOUT_MS);
    onArrival = () => {
      times.push(performance.now() - startedAt);
      if (times.length < sockets.length) return;
      clearTimeout(timeout);
      resolve();
    };
  });
  const response = await fetch(url + path, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  await all;
  return { first: quantile(times, 0), median: quantile(times, 0.5), last: quantile(times, 1) };
}
