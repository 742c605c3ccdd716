import { setTimeout as pause } from 'node:timers/promises';
import type { Ask } from './every-field.ts';
import { subscribe } from './subscriptions.ts';

const CONVERSATION = '{ name variables meta }';

/** What the conversation itself tells at once. */
const followOne: Ask = async (client, key, { conversationId }) => {
  const document = `subscription ($id: UUID!) {
    conversationChanged(conversationId: $id) { cursor items { id } conversation ${CONVERSATION} } }`;
  const stream = await subscribe(client, document, { id: conversationId }, key);
  if (stream.refused) return stream.refused;
  const body = await stream.next();
  await stream.close();
  return { status: 200, headers: new Headers(), body };
};

/** What the caller's feed tells of a new turn of the owner; nothing where the owner's own has told and it has not. */
function followTurns(field: string, selection: string): Ask {
  const document = `subscription { ${field} ${selection} }`;
  return async (client, key, { marker }) => {
    const [stream, owners] = [await subscribe(client, document, {}, key), await subscribeAsOwner(client, document)];
    const tellsOfIt = async (told: typeof stream) => {
      for (;;) {
        const event = await told.next();
        if (!event || JSON.stringify(event).includes(marker)) return event;
      }
    };
    try {
      if (stream.refused) return stream.refused;
      await client.agentTurn(marker);
      const theirs = tellsOfIt(stream);
      await tellsOfIt(owners);
      const body = await Promise.race([theirs, pause(500, { data: { [field]: null } })]);
      return { status: 200, headers: new Headers(), body };
    } finally {
      await Promise.all([stream.close(), owners.close()]);
    }
  };
}

/** With the client's own key. */
function subscribeAsOwner(client: Parameters<Ask>[0], document: string) {
  return subscribe(client, document, {}, client.key);
}

/** How each feed of conversations is asked for what was planted. */
export const FEED_FIELDS: Readonly<Record<string, Ask>> = {
  'Subscription.conversationChanged': followOne,
  'Subscription.conversationsChanged': followTurns(
    'conversationsChanged',
    `{ conversationId conversation ${CONVERSATION} }`,
  ),
  'Subscription.workspaceActivity': followTurns(
    'workspaceActivity',
    `{ counters { running } conversations { conversationId name variables meta } }`,
  ),
};
