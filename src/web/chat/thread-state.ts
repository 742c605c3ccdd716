import type { ConversationTurn, Message, MessageContent, ParleyError } from '../../sdk/index.ts';

/** A message on its way, and what becomes of it. */
export interface Outgoing {
  /** Unique on this page. */
  readonly key: number;
  readonly content: MessageContent;
  /** The trigger that says it; it begins a conversation. */
  readonly triggerId: string | undefined;
  /** The newest message before it. */
  readonly after: number;
  /** Sent again under the same key, it is not taken again where the service knows who sends it. */
  readonly idempotencyKey: string;
  /** `stopping` until the service has ended the turn; `answered` where its messages could not be read yet. */
  readonly phase: 'sending' | 'stopping' | 'stopped' | 'failed' | 'answered';
  /** What came of the reply, once it has ended in another way than it should. */
  readonly shown: string;
  /** The messages hold it, and what came of its reply: only why it ended is left to say. */
  readonly stored: boolean;
  /** Set exactly while `phase` is `failed`. */
  readonly error: ParleyError | null;
}

/** What the page shows of a conversation, beside its messages. */
export interface ThreadState {
  /** While it is opened, and why it could not be. */
  readonly opening: 'loading' | 'done' | ParleyError;
  /** The latest message, until it is among the stored ones. */
  readonly outgoing: Outgoing | null;
  /** Messages that were not taken, before the latest. */
  readonly unsent: readonly Outgoing[];
  /** Older messages: whether there are any that can be asked for. */
  readonly earlier: 'none' | 'some' | 'loading';
  /** Nothing more can be said. */
  readonly ended: boolean;
}

export const NEW_THREAD: ThreadState = {
  opening: 'done',
  outgoing: null,
  unsent: [],
  earlier: 'none',
  ended: false,
};

/** A reply as text: Markdown, or JSON where the deployment's replies are objects. */
export function replyText({ content }: Pick<ConversationTurn, 'content'>): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** A message that has ended in another way than it should, by what is stored since it was sent: that is the truth. */
export function withStored(outgoing: Outgoing, since: readonly Message[]): Outgoing {
  const isStored = since.some(({ role, content }) => role === 'user' && isSame(content, outgoing.content));
  if (!isStored) return outgoing;
  const last = since.at(-1);
  const reply = last?.role === 'assistant' ? last.content : [];
  const text = reply.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return { ...outgoing, stored: true, shown: text || outgoing.shown };
}

function isSame(one: MessageContent, other: MessageContent): boolean {
  const comparable = (content: MessageContent) => JSON.stringify(content.map((part) => Object.entries(part).sort()));
  return comparable(one) === comparable(other);
}

/** Whether nobody knows what became of the request: the service may have taken the message all the same. */
export function isUncertain({ code }: ParleyError): boolean {
  return UNCERTAIN.has(code);
}

const UNCERTAIN: ReadonlySet<ParleyError['code']> = new Set([
  'connection_error',
  'internal_error',
  'invalid_response',
  'request_in_progress',
  'unavailable',
]);
