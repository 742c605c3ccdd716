import { useEffect, useEffectEvent, useState } from 'react';
import type { MessageContent, ParleyClient, ParleyError } from '../../sdk/index.ts';
import type { UseAgent } from '../../sdk/react/index.ts';
import { type Address, setAddress } from '../hosted/address.ts';

/** The progress of a start from a link. */
export type TriggerStart =
  | { readonly kind: 'none' | 'reading' | 'expired' | 'unknown' }
  | { readonly kind: 'starting'; readonly content: MessageContent }
  | { readonly kind: 'failed'; readonly error: ParleyError };

/**
 * Starts the conversation of the link's trigger, or opens the one that it has started. The second element of
 * the result retries.
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
      // The effect was cleaned up. Its successor may have started the conversation.
      if (signal.aborted) return;
      if (trigger.expired) return setState({ kind: 'expired' });
      if (trigger.conversationId) return setAddress({ cid: trigger.conversationId }, 'replace');
      setState({ kind: 'starting', content: trigger.content });
      await agent.start({ triggerId });
    } catch (thrown) {
      if (!signal.aborted) setState(stateAfter(thrown as ParleyError));
    }
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt runs the effect again
  useEffect(() => {
    if (cid || !tid) return setState({ kind: 'none' });
    const leaving = new AbortController();
    start(tid, leaving.signal);
    return () => leaving.abort();
  }, [cid, tid, attempt]);
  const retry = () => {
    setState({ kind: 'reading' });
    setAttempt((before) => before + 1);
  };
  return [state, retry];
}

function stateAfter(error: ParleyError): TriggerStart {
  const { code, details } = error;
  if (code === 'trigger_expired') return { kind: 'expired' };
  if (code === 'not_found' || code === 'invalid_request') return { kind: 'unknown' };
  // Another window has started it. The error has the ID of its conversation.
  if (code === 'trigger_already_used' && typeof details.conversation_id === 'string') {
    setAddress({ cid: details.conversation_id }, 'replace');
    return { kind: 'none' };
  }
  // The model failed. The conversation exists and shows the failure.
  if (typeof details.conversation_id === 'string') return { kind: 'none' };
  return { kind: 'failed', error };
}
