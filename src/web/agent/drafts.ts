import { useState } from 'react';
import type { JsonObject } from '../../sdk/index.ts';
import { dropKept, keep, keptKeys, readKept } from './tab-storage.ts';

/** A call, among all that this browser knows. */
export interface CallPlace {
  readonly conversationId: string;
  readonly callId: string;
}

/** What this tab keeps of a call until it is over, so that a reload loses nothing. */
export interface Draft {
  /** As the form of the call has it. */
  readonly form?: unknown;
  /** What was given for it, as long as other calls of its round still wait. */
  readonly output?: JsonObject | undefined;
}

// Forms read what they have written themselves: whatever changes in them has to change this too.
const PREFIX = 'parley-call-1';

const keyOf = ({ conversationId, callId }: CallPlace) => `${PREFIX}/${conversationId}/${callId}`;

export function readDraft(place: CallPlace): Draft {
  return JSON.parse(readKept(keyOf(place)) ?? '{}') as Draft;
}

/** Keeps it, as far as there is room: a draft is a help, and no promise. */
export function keepDraft(place: CallPlace, change: Draft): void {
  const isKept = keep(keyOf(place), JSON.stringify({ ...readDraft(place), ...change }));
  // What was kept before is no draft of what the form shows now.
  if (!isKept) dropKept(keyOf(place));
}

/** Drops what was kept for calls of this conversation that wait no more. */
export function dropDrafts(conversationId: string, waiting: readonly string[]): void {
  const wanted = new Set(waiting.map((callId) => keyOf({ conversationId, callId })));
  for (const key of keptKeys(`${PREFIX}/${conversationId}/`)) if (!wanted.has(key)) dropKept(key);
}

/** The state of a call's form, found again after a reload. */
export function useDraft<Form>(place: CallPlace, empty: Form): readonly [Form, (next: Form) => void] {
  const [form, setForm] = useState<Form>(() => (readDraft(place).form as Form | undefined) ?? empty);
  const change = (next: Form) => {
    setForm(next);
    keepDraft(place, { form: next });
  };
  return [form, change];
}
