import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { MessageContent, ParleyError } from '../../sdk/index.ts';
import type { UseAgent } from '../../sdk/react/index.ts';
import { newKey } from '../hosted/new-key.ts';
import { dropFirstTurn, keepFirstTurn, readFirstTurn } from './first-turn.ts';

export interface Turns {
  /** What was said and is in no history yet. */
  readonly sending: MessageContent | null;
  /** Why the latest turn was refused, as long as nothing else was tried. */
  readonly refusal: ParleyError | null;
  /** Rejects where what was said is not stored. */
  say(content: MessageContent): Promise<void>;
  /** Goes on after an interruption. */
  goOn(): void;
}

interface Sending {
  readonly content: MessageContent;
  /** The user's latest message before. */
  readonly behind: number;
}

/** Says something in the open conversation, or begins one. */
export function useTurns(agent: UseAgent, deploymentId: string, isNew: boolean): Turns {
  const [sending, setSending] = useState<Sending | null>(null);
  const [refusal, setRefusal] = useState<ParleyError | null>(null);
  const keys = useRef(new Map<string, string>());
  const latest = agent.messages.findLast(({ role }) => role === 'user')?.id ?? 0;

  const say = async (content: MessageContent, known?: string) => {
    // The same words again, after no answer came, are the same turn.
    const words = JSON.stringify(content);
    const key = known ?? keys.current.get(words) ?? newKey();
    keys.current.set(words, key);
    setSending({ content, behind: latest });
    setRefusal(null);
    const isFirst = agent.conversationId === null;
    const release = isFirst ? holdFirstTurn(deploymentId, { key, content }) : undefined;
    const turn = { content, idempotencyKey: key };
    const error = await (isFirst ? agent.start(turn) : agent.continue(turn)).then(
      () => undefined,
      (thrown: ParleyError) => thrown,
    );
    const isOver = !error || isAnswered(error);
    if (isOver) keys.current.delete(words);
    release?.(isOver);
    setSending(null);
    if (error?.status === 409) setRefusal(error);
    if (error && !isStored(error)) throw error;
  };

  const begin = useEffectEvent(say);
  useEffect(() => {
    const known = isNew ? readFirstTurn(deploymentId) : undefined;
    if (!known) return;
    // Not in an effect that StrictMode takes back at once.
    const timer = setTimeout(() => begin(known.content, known.key).catch(() => {}));
    return () => clearTimeout(timer);
  }, [deploymentId, isNew]);

  return {
    sending: sending && latest === sending.behind ? sending.content : null,
    refusal,
    say: (content) => say(content),
    goOn: () => void say([{ type: 'text', text: 'Continue.' }]).catch(() => {}),
  };
}

/** Lets a reload find a first turn again; where it is too large to be kept, the browser asks before it leaves. */
function holdFirstTurn(deploymentId: string, turn: { readonly key: string; readonly content: MessageContent }) {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  if (!keepFirstTurn(deploymentId, turn)) addEventListener('beforeunload', ask);
  return (isOver: boolean) => {
    removeEventListener('beforeunload', ask);
    if (isOver) dropFirstTurn(deploymentId);
  };
}

/** Whether the service has said what became of a turn: then sending it again would be another one. */
function isAnswered({ status, code, type }: ParleyError): boolean {
  return status > 0 && code !== 'unavailable' && code !== 'rate_limited' && type !== 'client_error';
}

/** The model failed in a turn whose message is there. */
function isStored({ type, details }: ParleyError): boolean {
  return type === 'api_error' && typeof details.conversation_id === 'string';
}
