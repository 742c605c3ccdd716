import { setTimeout as pause } from 'node:timers/promises';
import type { SendOperation } from './all-operations.ts';
import type { Client } from './client.ts';
import { subscribe } from './subscriptions.ts';

const CONVERSATION = '{ name variables { name value } meta }';

/** The first event of the conversation's subscription. */
const followOne: SendOperation = async (client, key, { conversationId }) => {
  const document = `subscription ($id: ID!) {
    conversationChanged(conversationId: $id) { cursor items { id } conversation ${CONVERSATION} } }`;
  const stream = await subscribe(client, document, { id: conversationId }, key);
  if (stream.rejection) return stream.rejection;
  const body = await stream.next();
  await stream.close();
  return { status: 200, headers: new Headers(), body };
};

/**
 * What the caller's subscription receives about a new turn of the owner. Null if only the owner's subscription received
 * it.
 */
function followTurns(
  field: string,
  selection: string,
  change = (client: Client, marker: string) => client.agentTurn(marker),
): SendOperation {
  const document = `subscription { ${field} ${selection} }`;
  return async (client, key, { marker }) => {
    const [stream, ownerStream] = [
      await subscribe(client, document, {}, key),
      await subscribeAsOwner(client, document),
    ];
    const nextWithMarker = async (subscription: typeof stream) => {
      for (;;) {
        const event = await subscription.next();
        if (!event || JSON.stringify(event).includes(marker)) return event;
      }
    };
    try {
      if (stream.rejection) return stream.rejection;
      await change(client, marker);
      const callerEvent = nextWithMarker(stream);
      await nextWithMarker(ownerStream);
      const body = await Promise.race([callerEvent, pause(500, { data: { [field]: null } })]);
      return { status: 200, headers: new Headers(), body };
    } finally {
      await Promise.all([stream.close(), ownerStream.close()]);
    }
  };
}

/** A turn that waits for an answer. */
function pausedTurn(client: Client, marker: string) {
  const questions = [{ id: 'name', question: marker, input_type: 'text' }];
  const fields = { client_capabilities: ['ask_user'] };
  return client.agentTurn(`/call ask_user ${JSON.stringify({ questions })}`, fields);
}

/** With the client's own key. */
function subscribeAsOwner(client: Parameters<SendOperation>[0], document: string) {
  return subscribe(client, document, {}, client.key);
}

/** The events of a waiting turn. */
const followWaiting: SendOperation = async (client, key, { waiting }) => {
  const document = `subscription ($id: ID!) { turnEvents(conversationId: $id) {
    event ... on TurnItem { item { ... on Message { content { ... on TextPart { text } } } } } } }`;
  const stream = await subscribe(client, document, { id: waiting.conversationId }, key);
  if (stream.rejection) return stream.rejection;
  const events: unknown[] = [];
  for (let event = await stream.next(); event; event = await stream.next()) {
    events.push(event.data.turnEvents);
    if (event.data.turnEvents.event === 'TURN_PAUSED') break;
  }
  await stream.close();
  return { status: 200, headers: new Headers(), body: { data: { turnEvents: events } } };
};

/** Those who are in the conversation. */
const followPresence: SendOperation = async (client, key, { conversationId }) => {
  const document = `subscription ($id: ID!) {
    presenceChanged(conversationId: $id) { people { displayName kind isMe isTyping } } }`;
  const stream = await subscribe(client, document, { id: conversationId }, key);
  if (stream.rejection) return stream.rejection;
  const body = await stream.next();
  await stream.close();
  return { status: 200, headers: new Headers(), body };
};

/** The request of each subscription to conversations for the fixtures. */
export const FEED_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Subscription.conversationChanged': followOne,
  'Subscription.presenceChanged': followPresence,
  'Subscription.turnEvents': followWaiting,
  'Subscription.conversationsChanged': followTurns(
    'conversationsChanged',
    `{ conversationId matches conversation ${CONVERSATION} }`,
  ),
  'Subscription.runEvents': followTurns('runEvents', '{ event { payload { json } conversation { name } } }'),
  'Subscription.pendingActionsChanged': followTurns(
    'pendingActionsChanged',
    '{ totalCount conversationIds pendingActions { name arguments } }',
    pausedTurn,
  ),
  'Subscription.workspaceActivity': followTurns(
    'workspaceActivity',
    `{ counters { running } conversations { conversationId name variables { name value } meta } }`,
  ),
};
