import { useState } from 'react';
import type { JsonObject } from '../../sdk/index.ts';
import { readStored, removeStored, store, storedKeys } from '../hosted/tab-storage.ts';

/** The IDs of a call. */
export interface CallAddress {
  readonly conversationId: string;
  readonly callId: string;
}

/** The unsent input of a pending call. This tab stores it for a reload. */
export interface Draft {
  /** The state of the call's form. */
  readonly form?: unknown;
  /** The output, until every call of the round has one. */
  readonly output?: JsonObject | undefined;
}

// Increase the number when a form changes its state: old drafts would not fit.
const PREFIX = 'parley-call-1';

const keyOf = ({ conversationId, callId }: CallAddress) => `${PREFIX}/${conversationId}/${callId}`;

export function readDraft(address: CallAddress): Draft {
  return JSON.parse(readStored(keyOf(address)) ?? '{}') as Draft;
}

/** Stores a change of a draft. Without space the draft is lost: it is a convenience only. */
export function storeDraft(address: CallAddress, change: Draft): void {
  const isStored = store(keyOf(address), JSON.stringify({ ...readDraft(address), ...change }));
  // The previous draft does not match the form any more.
  if (!isStored) removeStored(keyOf(address));
}

/** Removes the drafts of all calls of a conversation that are not pending. */
export function removeDrafts(conversationId: string, pendingCallIds: readonly string[]): void {
  const pending = new Set(pendingCallIds.map((callId) => keyOf({ conversationId, callId })));
  for (const key of storedKeys(`${PREFIX}/${conversationId}/`)) if (!pending.has(key)) removeStored(key);
}

/** The state of a call's form. A reload restores it. */
export function useDraft<Form>(address: CallAddress, empty: Form): readonly [Form, (next: Form) => void] {
  const [form, setForm] = useState<Form>(() => (readDraft(address).form as Form | undefined) ?? empty);
  const change = (next: Form) => {
    setForm(next);
    storeDraft(address, { form: next });
  };
  return [form, change];
}
