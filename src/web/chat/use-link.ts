import { useEffect, useRef, useState } from 'react';
import type { ParleyClient, ParleyError } from '../../sdk/index.ts';
import { type UseTrigger, useTrigger } from '../../sdk/react/index.ts';
import { type Address, setAddress } from '../hosted/address.ts';
import type { Thread } from './thread.ts';
import type { ThreadState } from './thread-state.ts';

/** The state of the link that opened the page. `used` also while its conversation is open. */
export type Link = 'none' | 'loading' | 'starting' | 'used' | 'expired' | 'unknown' | ParleyError;

interface Page {
  readonly address: Address;
  readonly thread: Thread;
  readonly state: ThreadState;
}

/** Follows a link with a trigger (`?tid=`): starts its conversation, or opens the one that it has started. */
export function useLink(client: ParleyClient, { address: { cid, tid }, thread, state }: Page): Link {
  const isLink = tid !== null && cid === null;
  const request = useTrigger(client, isLink ? tid : null);
  const { trigger } = request;
  const started = useRef<string>(null);
  const [used, setUsed] = useState<string>();

  const rejection = isLink ? state.outgoing?.error : null;
  const startedElsewhere =
    rejection?.code === 'trigger_already_used' ? String(rejection.details.conversation_id) : undefined;
  const conversationId = trigger?.expired ? undefined : (trigger?.conversationId ?? startedElsewhere);
  useEffect(() => {
    if (!conversationId) return;
    setUsed(conversationId);
    setAddress({ cid: conversationId }, 'replace');
  }, [conversationId]);
  useEffect(() => {
    if (!trigger || trigger.expired || trigger.conversationId || started.current === trigger.id) return;
    // Once, even if the effect runs again.
    started.current = trigger.id;
    thread.send(trigger.content, trigger.id);
  }, [trigger, thread]);

  if (!isLink) return cid !== null && cid === used ? 'used' : 'none';
  if (rejection?.code === 'trigger_expired') return 'expired';
  return conversationId ? 'used' : linkOf(request);
}

/** The state of a link while its trigger is loading, before it is started. */
function linkOf({ trigger, status, error }: UseTrigger): Link {
  if (trigger?.expired) return 'expired';
  if (error) return error.code === 'not_found' ? 'unknown' : error;
  return status === 'success' ? 'starting' : 'loading';
}
