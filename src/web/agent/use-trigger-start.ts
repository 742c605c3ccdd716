import { useEffect, useEffectEvent, useState } from 'react';
import type { MessageContent, ParleyClient, ParleyError } from '../../sdk/index.ts';
import type { UseAgent } from '../../sdk/react/index.ts';
import { type Address, setAddress } from '../hosted/address.ts';

/** Where the start from a link stands. */
export type TriggerStart =
  | { readonly kind: 'none' | 'reading' | 'expired' | 'unknown' }
  | { readonly kind: 'starting'; readonly content: MessageContent }
  | { readonly kind: 'failed'; readonly error: ParleyError };

/**
 * Starts the conversation of the link's trigger, or opens the one that it has started already (SPEC 4.7). The second
 * answer tries again.
 */
export function useTriggerStart(
  client: ParleyClient,
  agent: UseAgent,
  { cid, tid }: Address,
): readonly [TriggerStart, () => void] {
  const [state, setState] = useState<TriggerStart>({ kind: cid || !tid ? 'none' : 'reading' });
  const [attempt, setAttempt] = useState(0);
  const start = useEffectEvent(async (triggerId: string, signal: AbortSignal) => {
    try {
      const trigger = await client.trigger.get(triggerId, { signal });
      // Whoever has left this effect starts nothing: another one may have, in its place.
      if (signal.aborted) return;
      if (trigger.expired) return setState({ kind: 'expired' });
      if (trigger.conversationId) return setAddress({ cid: trigger.conversationId }, 'replace');
      setState({ kind: 'starting', content: trigger.content });
      await agent.start({ triggerId });
    } catch (thrown) {
      if (!signal.aborted) setState(afterFault(thrown as ParleyError));
    }
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is what has to run it again
  useEffect(() => {
    if (cid || !tid) return setState({ kind: 'none' });
    const leave = new AbortController();
    start(tid, leave.signal);
    return () => leave.abort();
  }, [cid, tid, attempt]);
  const retry = () => {
    setState({ kind: 'reading' });
    setAttempt((before) => before + 1);
  };
  return [state, retry];
}

function afterFault(error: ParleyError): TriggerStart {
  const { code, details } = error;
  if (code === 'trigger_expired') return { kind: 'expired' };
  if (code === 'not_found' || code === 'invalid_request') return { kind: 'unknown' };
  // Another window has started it meanwhile, and says so with the conversation.
  if (code === 'trigger_already_used' && typeof details.conversation_id === 'string') {
    setAddress({ cid: details.conversation_id }, 'replace');
    return { kind: 'none' };
  }
  // The model failed: the conversation is there, and tells it.
  if (typeof details.conversation_id === 'string') return { kind: 'none' };
  return { kind: 'failed', error };
}
