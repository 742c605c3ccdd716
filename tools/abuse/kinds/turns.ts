import { randomUUID } from 'node:crypto';
import type { Attacker } from '../attacker.ts';
import type { Kind, Site } from '../kind.ts';

const text = (words: string) => [{ type: 'text', text: words }];
const LONG = text('word '.repeat(39_000));
const INLINE = [
  { type: 'data', mime_type: 'text/plain', data: Buffer.alloc(8 * 1024 * 1024 - 64, 'a').toString('base64') },
];
const BACKGROUND = { prefer: 'respond-async' };

const turnPath = ({ publicId }: Site) => `/v2/runner/${publicId}/conversation`;

/** A conversation of the attacker. */
async function conversationOf(attacker: Attacker, site: Site): Promise<string> {
  const shot = { method: 'POST', path: turnPath(site), body: { content: text('Hello') } } as const;
  return (await attacker.need<{ readonly conversation_id: string }>(shot)).conversation_id;
}

/** Starts conversations, and continues each of them. */
function turns(attacker: Attacker, site: Site, content: object[], headers: Readonly<Record<string, string>> = {}) {
  const known: string[] = [];
  return attacker.repeat(async (number) => {
    const id = number % 2 ? undefined : known[number % Math.max(known.length, 1)];
    const body = { content, ...(id && { conversation_id: id }) };
    const response = await attacker.send({ method: 'POST', path: turnPath(site), headers, body });
    if (!id && response && response.status < 300) {
      known.push((JSON.parse(response.text) as { conversation_id: string }).conversation_id);
    }
  });
}

/** Turns of callers without credentials, and reads of their conversations. */
export const TURNS: readonly Kind[] = [
  {
    name: 'anonymous-turns',
    about: 'Turns with 195,000 characters: new conversations, and more turns in each',
    attack: (attacker, site) => turns(attacker, site, LONG),
  },
  {
    name: 'inline-files',
    about: 'Turns with an inline part of 8 MiB, 4 per second',
    attack: (attacker, site) =>
      attacker.repeat(() => attacker.send({ method: 'POST', path: turnPath(site), body: { content: INLINE } }), {
        perSecond: 4,
      }),
  },
  {
    name: 'background-turns',
    about: 'Background turns whose model takes 3 s',
    attack: (attacker, site) => turns(attacker, site, text('slowly'), BACKGROUND),
  },
  {
    name: 'one-shot-runs',
    about: 'One-shot runs',
    attack: (attacker, { publicId }) =>
      attacker.repeat(() =>
        attacker.send({ method: 'POST', path: `/v2/runner/${publicId}`, body: { content: text('Hello') } }),
      ),
  },
  {
    name: 'chat-streams',
    about: 'Turns over the path of the AI SDK, which are not read',
    attack: (attacker, { publicId }) => {
      const message = { id: 'a', role: 'user', parts: text('slowly') };
      return attacker.hold(32, (socket) => {
        const body = JSON.stringify({ id: randomUUID(), messages: [message], trigger: 'submit-message' });
        socket.pause();
        socket.write(
          `POST /v1/runner/${publicId}/ui HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
            `Content-Length: ${body.length}\r\n\r\n${body}`,
        );
      });
    },
  },
  {
    name: 'read-conversations',
    about: 'Reads of a conversation with 30 messages',
    async attack(attacker, site) {
      const id = await conversationOf(attacker, site);
      for (let count = 1; count < 15; count += 1) {
        await attacker.send({ method: 'POST', path: turnPath(site), body: { content: LONG, conversation_id: id } });
      }
      await attacker.repeat(() => attacker.send({ path: `/v1/runner/conversation/${id}/messages?page_size=100` }));
    },
  },
  {
    name: 'held-feeds',
    about: '200 feeds of a conversation that stay open',
    async attack(attacker, site) {
      const id = await conversationOf(attacker, site);
      await attacker.hold(200, (socket) => {
        socket.pause();
        socket.write(`GET /v1/runner/conversation/${id}/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      });
    },
  },
  {
    name: 'held-subscriptions',
    about: '200 subscriptions of GraphQL that stay open',
    async attack(attacker, site) {
      const id = await conversationOf(attacker, site);
      const document = `subscription { conversationChanged(conversationId: "${id}") { __typename } }`;
      const body = JSON.stringify({ query: document });
      await attacker.hold(200, (socket) => {
        socket.pause();
        socket.write(
          'POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n' +
            `Content-Length: ${body.length}\r\n\r\n${body}`,
        );
      });
    },
  },
];
