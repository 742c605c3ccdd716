import { connect, type Socket } from 'node:net';
import { answerOrders } from '../core/asking.ts';
import { quantile } from '../core/statistics.ts';
import type { Arrival, SubscriberOrder } from '../core/subscribers.ts';

// Subscribers that only look for what they wait for: bare sockets, so that thousands of them take little of the machine.

type Order<Kind> = Extract<SubscriberOrder, { readonly kind: Kind }>;

/** Opened at once; more than a server's backlog of connections would be refused. */
const AT_ONCE = 64;

const LATEST_MS = 30_000;

/** What a server writes to a subscriber that is subscribed, and at the head of each event. */
const SUBSCRIBED = ':\n\n';
const EVENT = 'event: next';

const sockets: Socket[] = [];

/** Told of every event that a subscriber gets. */
let arrived = () => {};

answerOrders<SubscriberOrder>((order) => (order.kind === 'open' ? open(order) : cause(order)));

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
    let begun = '';
    const begin = (text: string) => {
      begun += text;
      if (!begun.includes(SUBSCRIBED)) return;
      if (!begun.startsWith('HTTP/1.1 200 ')) reject(new Error(begun));
      socket.off('data', begin).on('data', (more: string) => {
        if (more.includes(EVENT)) arrived();
      });
      socket.off('close', refused);
      resolve(socket);
    };
    const refused = () => reject(new Error(`a subscriber was refused: ${begun}`));
    socket.setEncoding('latin1').on('data', begin).on('close', refused).on('error', reject);
  });
}

async function cause({ url, path, headers, body }: Order<'event'>): Promise<Arrival> {
  const times: number[] = [];
  const startedAt = performance.now();
  const all = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new Error(`${times.length} of ${sockets.length} had the event after ${LATEST_MS} ms`));
    }, LATEST_MS);
    arrived = () => {
      times.push(performance.now() - startedAt);
      if (times.length < sockets.length) return;
      clearTimeout(late);
      resolve();
    };
  });
  const answer = await fetch(url + path, { method: 'POST', headers, body });
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  await all;
  return { first: quantile(times, 0), median: quantile(times, 0.5), last: quantile(times, 1) };
}
