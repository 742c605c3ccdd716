import { useEffect, useRef, useState } from 'react';
import type { ParleyClient, ParleyError } from '../../sdk/index.ts';
import { type UseTrigger, useTrigger } from '../../sdk/react/index.ts';
import { type Address, setAddress } from '../hosted/address.ts';
import type { Thread } from './thread.ts';
import type { ThreadState } from './thread-state.ts';

/** What has come of the link that the page was opened by; `used` also where its conversation is open now. */
export type Link = 'none' | 'loading' | 'starting' | 'used' | 'expired' | 'unknown' | ParleyError;

interface Page {
  readonly address: Address;
  readonly thread: Thread;
  readonly state: ThreadState;
}

/** Follows a link with a trigger (`?tid=`): begins its conversation, or opens the one that it has begun before. */
export function useLink(client: ParleyClient, { address: { cid, tid }, thread, state }: Page): Link {
  const isLink = tid !== null && cid === null;
  const read = useTrigger(client, isLink ? tid : null);
  const { trigger } = read;
  const begun = useRef<string>(null);
  const [used, setUsed] = useState<string>();

  const refusal = isLink ? state.outgoing?.error : null;
  const begunElsewhere = refusal?.code === 'trigger_already_used' ? String(refusal.details.conversation_id) : undefined;
  const conversationId = trigger?.expired ? undefined : (trigger?.conversationId ?? begunElsewhere);
  useEffect(() => {
    if (!conversationId) return;
    setUsed(conversationId);
    setAddress({ cid: conversationId }, 'replace');
  }, [conversationId]);
  useEffect(() => {
    if (!trigger || trigger.expired || trigger.conversationId || begun.current === trigger.id) return;
    // Once, however often this page looks at its link.
    begun.current = trigger.id;
    thread.send(trigger.content, trigger.id);
  }, [trigger, thread]);

  if (!isLink) return cid !== null && cid === used ? 'used' : 'none';
  if (refusal?.code === 'trigger_expired') return 'expired';
  return conversationId ? 'used' : linkOf(read);
}

/** A link as its trigger is read, before anything has been done by it. */
function linkOf({ trigger, status, error }: UseTrigger): Link {
  if (trigger?.expired) return 'expired';
  if (error) return error.code === 'not_found' ? 'unknown' : error;
  return status === 'success' ? 'starting' : 'loading';
}
