import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { JsonObject, ParleyError, PendingToolCall } from '../../sdk/index.ts';
import type { UseAgent } from '../../sdk/react/index.ts';
import { texts } from '../texts/current.ts';
import { readDraft, removeDrafts, storeDraft } from './drafts.ts';

/** Why the service rejected the output of a call. */
export interface Rejection {
  /** The field in the output, like `answers[1].value`. Empty: the whole output. */
  readonly field: string;
  /** Contains `{field}` as the placeholder of the field's name. */
  readonly message: string;
}

type Outputs = ReadonlyMap<string, JsonObject>;

/** The pending calls of a conversation, and the outputs that the user has entered. */
export interface Round {
  readonly calls: readonly PendingToolCall[];
  /** By call ID. */
  readonly outputs: Outputs;
  readonly rejections: ReadonlyMap<string, Rejection>;
  /** False once the outputs were sent. */
  readonly canChange: boolean;
  /** Shown after another window resolved calls of this page. */
  readonly note: string | null;
  /** Whether the outputs of this page resolved the latest calls. */
  readonly isAnswered: boolean;
  setOutput(callId: string, output: JsonObject): void;
  clearOutput(callId: string): void;
  /** Sends the outputs again after a failure. */
  retry(): void;
  clearNote(): void;
}

const OUTPUT_PATH = /^tool_results\[(\d+)\](?:\.output)?\.?(.*)$/;

/** Errors that a form shows at its field. */
export const isFormError = ({ param, code }: ParleyError) =>
  code === 'invalid_tool_result' || (param?.startsWith('tool_results') ?? false);

/** Whether every call of the round has an output. */
export function isComplete({ calls, outputs }: Pick<Round, 'calls' | 'outputs'>): boolean {
  return calls.length > 0 && calls.every(({ callId }) => outputs.has(callId));
}

/** Collects the outputs of a round and sends them when every call has one. */
export function useRound(agent: UseAgent): Round {
  const { pendingToolCalls: calls, conversationId } = agent;
  const [outputs, setOutputs] = useState<Outputs>(new Map());
  const [rejections, setRejections] = useState<ReadonlyMap<string, Rejection>>(new Map());
  const [note, setNote] = useState<string | null>(null);
  const [isAnswered, setAnswered] = useState(false);
  /** The outputs that were passed to the SDK. The SDK sends the round whenever one of them is set again. */
  const submitted = useRef(new Map<string, JsonObject>());
  const addressOf = (callId: string) => ({ conversationId: conversationId ?? '', callId });

  useStoredOutputs(agent, setOutputs);
  useResolvedCalls(agent, (resolved) => {
    const isOwn = resolved.every(({ callId }) => submitted.current.has(callId));
    const isStopped = resolved.some(({ callId }) => isCancelled(agent, callId));
    setNote(isOwn || isStopped ? null : texts().round.answeredElsewhere);
    setAnswered(resolved.length > 0 && isOwn && !isStopped);
  });

  const showError = (error: ParleyError) => {
    const t = texts().round;
    if (error.code === 'action_result_conflict') return setNote(t.answeredFirst);
    if (error.code === 'unknown_call_id') return setNote(t.answeredElsewhere);
    if (error.code === 'action_expired') return setNote(t.timeIsOver);
    const [, index, field = ''] = OUTPUT_PATH.exec(error.param ?? '') ?? [];
    const callId = calls[Number(index)]?.callId;
    if (index === undefined || callId === undefined) return;
    storeDraft(addressOf(callId), { output: undefined });
    setOutputs((before) => without(before, callId));
    setRejections((before) => new Map(before).set(callId, { field, message: messageOf(error) }));
  };

  const submit = (complete: Outputs, isRetry = false) => {
    const changed = calls.filter(({ callId }) => isRetry || complete.get(callId) !== submitted.current.get(callId));
    for (const { callId } of changed) {
      const output = complete.get(callId);
      if (!output) continue;
      submitted.current.set(callId, output);
      agent.resolveTool(callId, output).catch((error: ParleyError) => showError(error));
    }
  };

  const isReady = isComplete({ calls, outputs });
  const onComplete = useEffectEvent(submit);
  useEffect(() => {
    if (isReady) onComplete(outputs);
  }, [isReady, outputs]);

  return {
    calls,
    outputs,
    rejections,
    canChange: calls.every(({ callId }) => !submitted.current.has(callId)),
    note,
    isAnswered,
    setOutput(callId, output) {
      storeDraft(addressOf(callId), { output });
      setRejections((before) => without(before, callId));
      setOutputs((before) => new Map(before).set(callId, output));
    },
    clearOutput(callId) {
      storeDraft(addressOf(callId), { output: undefined });
      setOutputs((before) => without(before, callId));
    },
    retry: () => submit(outputs, true),
    clearNote: () => setNote(null),
  };
}

/** Restores the outputs that were entered before a reload. Removes the drafts of resolved calls. */
function useStoredOutputs(
  { pendingToolCalls, conversationId, status }: UseAgent,
  set: (change: (before: Outputs) => Outputs) => void,
): void {
  const pending = pendingToolCalls.map(({ callId }) => callId).join(' ');
  const isLoaded = conversationId !== null && status !== 'loading' && status !== 'idle' && status !== 'error';
  useEffect(() => {
    if (!isLoaded || conversationId === null) return;
    const callIds = pending === '' ? [] : pending.split(' ');
    removeDrafts(conversationId, callIds);
    const stored = callIds.flatMap((callId) => {
      const { output } = readDraft({ conversationId, callId });
      return output ? [[callId, output] as const] : [];
    });
    if (stored.length > 0) set((before) => new Map([...stored, ...before]));
  }, [isLoaded, conversationId, pending, set]);
}

/** Reports calls that were pending and are resolved now. The list is empty if only new calls appeared. */
function useResolvedCalls({ pendingToolCalls }: UseAgent, onResolved: (calls: readonly PendingToolCall[]) => void) {
  const previous = useRef(pendingToolCalls);
  const report = useEffectEvent(onResolved);
  useEffect(() => {
    const isMissing = (calls: readonly PendingToolCall[], callId: string) =>
      !calls.some((one) => one.callId === callId);
    const resolved = previous.current.filter(({ callId }) => isMissing(pendingToolCalls, callId));
    const hasNew = pendingToolCalls.some(({ callId }) => isMissing(previous.current, callId));
    previous.current = pendingToolCalls;
    if (resolved.length > 0 || hasNew) report(resolved);
  }, [pendingToolCalls]);
}

/** Whether the call ended without an answer, because its turn was stopped. */
function isCancelled({ history }: UseAgent, callId: string): boolean {
  return history.some((item) => item.type === 'client_tool' && item.callId === callId && item.status === 'cancelled');
}

/** Replaces the path of the field, which means nothing to users, with a placeholder. */
function messageOf({ message, param }: ParleyError): string {
  return param ? message.replace(param, '{field}') : message;
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  const next = new Map(map);
  next.delete(key);
  return next;
}
