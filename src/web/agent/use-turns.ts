import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { MessageContent, ParleyError } from '../../sdk/index.ts';
import type { UseAgent } from '../../sdk/react/index.ts';
import { newKey } from '../hosted/requests.ts';
import { type FirstTurn, readFirstTurn, removeFirstTurn, storeFirstTurn } from './first-turn.ts';

export interface Turns {
  /** The message that is being sent and is not in the history yet. */
  readonly sending: MessageContent | null;
  /** Why the latest turn was rejected with 409. Null after the next one. */
  readonly rejection: ParleyError | null;
  /** Rejects if the message was not stored. */
  send(content: MessageContent): Promise<void>;
  /** Resumes after an interruption. */
  resume(): void;
}

interface Sending {
  readonly content: MessageContent;
  /** The ID of the user's previous message. */
  readonly previousId: number;
}

/** Sends messages to the open conversation, or starts one. */
export function useTurns(agent: UseAgent, deploymentId: string, isNew: boolean): Turns {
  const [sending, setSending] = useState<Sending | null>(null);
  const [rejection, setRejection] = useState<ParleyError | null>(null);
  const keys = useRef(new Map<string, string>());
  const latestId = agent.messages.findLast(({ role }) => role === 'user')?.id ?? 0;

  const send = async (content: MessageContent, storedKey?: string) => {
    // The same content after a lost response is the same turn, so it gets the same key.
    const text = JSON.stringify(content);
    const idempotencyKey = storedKey ?? keys.current.get(text) ?? newKey();
    keys.current.set(text, idempotencyKey);
    setSending({ content, previousId: latestId });
    setRejection(null);
    const isFirst = agent.conversationId === null;
    const turn = { content, idempotencyKey };
    const release = isFirst ? protectFirstTurn(deploymentId, turn) : undefined;
    const error = await (isFirst ? agent.start(turn) : agent.continue(turn)).then(
      () => undefined,
      (thrown: ParleyError) => thrown,
    );
    const isFinished = !error || isFinal(error);
    if (isFinished) keys.current.delete(text);
    release?.(isFinished);
    setSending(null);
    if (error?.status === 409) setRejection(error);
    if (error && !isStored(error)) throw error;
  };

  const sendStored = useEffectEvent((turn: FirstTurn) => send(turn.content, turn.idempotencyKey));
  useEffect(() => {
    const stored = isNew ? readFirstTurn(deploymentId) : undefined;
    if (!stored) return;
    // Later, because StrictMode cancels the first effect at once.
    const timer = setTimeout(() => sendStored(stored).catch(() => {}));
    return () => clearTimeout(timer);
  }, [deploymentId, isNew]);

  const [hadAddress] = useState(!isNew);
  useEffect(() => {
    // The tab was reloaded after the conversation had got its address, but before the turn was forgotten.
    if (hadAddress) removeFirstTurn(deploymentId);
  }, [deploymentId, hadAddress]);

  return {
    sending: sending && latestId === sending.previousId ? sending.content : null,
    rejection,
    send: (content) => send(content),
    resume: () => void send([{ type: 'text', text: 'Continue.' }]).catch(() => {}),
  };
}

/** Stores a first turn for a reload. If it is too large to store, the browser asks before it leaves the page. */
function protectFirstTurn(deploymentId: string, turn: FirstTurn) {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  if (!storeFirstTurn(deploymentId, turn)) addEventListener('beforeunload', ask);
  return (isFinished: boolean) => {
    removeEventListener('beforeunload', ask);
    if (isFinished) removeFirstTurn(deploymentId);
  };
}

/** Whether the service has decided about the turn: the same content is then a new turn. */
function isFinal({ status, code, type }: ParleyError): boolean {
  return status > 0 && code !== 'unavailable' && code !== 'rate_limited' && type !== 'client_error';
}

/** The model failed in a turn whose message is stored. */
function isStored({ type, details }: ParleyError): boolean {
  return type === 'api_error' && typeof details.conversation_id === 'string';
}
