import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { JsonObject, ParleyError, PendingToolCall } from '../../sdk/index.ts';
import type { UseAgent } from '../../sdk/react/index.ts';
import { dropDrafts, keepDraft, readDraft } from './drafts.ts';

/** Why the service did not take what was given for a call. */
export interface Refusal {
  /** The field behind `output`, like `answers[1].value`; empty where it is the output as a whole. */
  readonly field: string;
  /** With `{field}` where the field is named. */
  readonly message: string;
}

/** The calls that wait together, and what this page has for them. */
export interface Round {
  readonly calls: readonly PendingToolCall[];
  /** By call id. */
  readonly given: ReadonlyMap<string, JsonObject>;
  readonly refusals: ReadonlyMap<string, Refusal>;
  /** Once the service has seen them, they cannot be taken back. */
  readonly canTakeBack: boolean;
  /** What became of calls that this page did not answer. */
  readonly note: string | null;
  give(callId: string, output: JsonObject): void;
  takeBack(callId: string): void;
  /** Sends again what did not get through. */
  retry(): void;
  dropNote(): void;
}

const OUTPUT = /^tool_results\[(\d+)\](?:\.output)?\.?(.*)$/;
const ELSEWHERE = 'This was answered in another window.';

/** Gathers what is given for the calls of a round, and sends it when it is whole. */
export function useRound(agent: UseAgent): Round {
  const { pendingToolCalls: calls, conversationId } = agent;
  const [given, setGiven] = useState<ReadonlyMap<string, JsonObject>>(new Map());
  const [refusals, setRefusals] = useState<ReadonlyMap<string, Refusal>>(new Map());
  const [note, setNote] = useState<string | null>(null);
  /** What the SDK was handed: it sends the round again whenever one of them is handed anew. */
  const handed = useRef(new Map<string, JsonObject>());
  const place = (callId: string) => ({ conversationId: conversationId ?? '', callId });

  useFoundAgain(agent, setGiven);
  useGone(agent, (gone) => {
    const isOwn = gone.every(({ callId }) => handed.current.has(callId));
    setNote(isOwn ? null : ELSEWHERE);
  });

  const refused = (error: ParleyError) => {
    if (error.code === 'action_result_conflict') return setNote('Another window was first, and its answers count.');
    if (error.code === 'unknown_call_id') return setNote(ELSEWHERE);
    const [, index, field = ''] = OUTPUT.exec(error.param ?? '') ?? [];
    const callId = calls[Number(index)]?.callId;
    if (index === undefined || callId === undefined) return;
    keepDraft(place(callId), { output: undefined });
    setGiven((before) => without(before, callId));
    setRefusals((before) => new Map(before).set(callId, { field, message: sentenceOf(error) }));
  };

  const hand = (outputs: ReadonlyMap<string, JsonObject>, again = false) => {
    const changed = calls.filter(({ callId }) => again || outputs.get(callId) !== handed.current.get(callId));
    for (const { callId } of changed) {
      const output = outputs.get(callId);
      if (!output) continue;
      handed.current.set(callId, output);
      agent.resolveTool(callId, output).catch((error: ParleyError) => refused(error));
    }
  };

  const isWhole = calls.length > 0 && calls.every(({ callId }) => given.has(callId));
  const send = useEffectEvent(hand);
  useEffect(() => {
    if (isWhole) send(given);
  }, [isWhole, given]);

  return {
    calls,
    given,
    refusals,
    canTakeBack: calls.every(({ callId }) => !handed.current.has(callId)),
    note,
    give(callId, output) {
      keepDraft(place(callId), { output });
      setRefusals((before) => without(before, callId));
      setGiven((before) => new Map(before).set(callId, output));
    },
    takeBack(callId) {
      keepDraft(place(callId), { output: undefined });
      setGiven((before) => without(before, callId));
    },
    retry: () => hand(given, true),
    dropNote: () => setNote(null),
  };
}

/** What was given before this page was loaded again; what is kept of calls that are over goes. */
function useFoundAgain(
  { pendingToolCalls, conversationId, status }: UseAgent,
  set: (change: (before: ReadonlyMap<string, JsonObject>) => ReadonlyMap<string, JsonObject>) => void,
): void {
  const waiting = pendingToolCalls.map(({ callId }) => callId).join(' ');
  const isKnown = conversationId !== null && status !== 'loading' && status !== 'idle' && status !== 'error';
  useEffect(() => {
    if (!isKnown || conversationId === null) return;
    const callIds = waiting === '' ? [] : waiting.split(' ');
    dropDrafts(conversationId, callIds);
    const found = callIds.flatMap((callId) => {
      const { output } = readDraft({ conversationId, callId });
      return output ? [[callId, output] as const] : [];
    });
    if (found.length > 0) set((before) => new Map([...found, ...before]));
  }, [isKnown, conversationId, waiting, set]);
}

/** Tells of calls that have waited here and do not any more; of none where others begin to wait. */
function useGone({ pendingToolCalls }: UseAgent, onGone: (gone: readonly PendingToolCall[]) => void): void {
  const before = useRef(pendingToolCalls);
  const tell = useEffectEvent(onGone);
  useEffect(() => {
    const gone = before.current.filter(({ callId }) => !pendingToolCalls.some((call) => call.callId === callId));
    const isNew = pendingToolCalls.some(({ callId }) => !before.current.some((call) => call.callId === callId));
    before.current = pendingToolCalls;
    if (gone.length > 0 || isNew) tell(gone);
  }, [pendingToolCalls]);
}

/** The service names the field by its place in the request, which is nobody's words. */
function sentenceOf({ message, param }: ParleyError): string {
  return param ? message.replace(param, '{field}') : message;
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  const next = new Map(map);
  next.delete(key);
  return next;
}
