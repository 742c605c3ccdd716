import type { FilePart, ModelMessage, TextPart, UserContent } from 'ai';
import { type ContentPart, textOf } from '../../contract/content.ts';
import type { CallEntry, MessageEntry, TimelineEntry } from '../conversations/timeline.ts';
import type { WorkflowConfig } from '../workflows/config.ts';
import { schemaInstructions } from './structured-reply.ts';

const INTERRUPTED = 'This call was interrupted before it had a result.';

const UNKNOWN = `${INTERRUPTED} Whether it did anything is not known: find out before you repeat it.`;

/** The deployment's instructions with `{{NAME}}` filled; an unknown name becomes an empty string (WIRE 6). */
export function compileInstructions(config: WorkflowConfig, variables: Readonly<Record<string, string>>): string {
  const filled = config.instructions.replace(/\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g, (_, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? '') : '',
  );
  return config.outputSchema ? `${filled}${schemaInstructions(config.outputSchema)}` : filled;
}

/**
 * The model's messages, from the stored timeline. Calls of one step become one assistant message with their results
 * right after it, as every provider demands; a call without a result says that it was interrupted.
 */
export function compilePrompt(entries: readonly TimelineEntry[]): ModelMessage[] {
  return stepsOf(entries).flatMap((step) => {
    const [first] = step;
    return first?.kind === 'message' && first.role === 'user' ? [userMessage(first)] : assistantStep(step);
  });
}

/** Cuts the timeline where the speaker, the run or its step changes. */
function stepsOf(entries: readonly TimelineEntry[]): TimelineEntry[][] {
  const steps: TimelineEntry[][] = [];
  for (const entry of entries) {
    const previous = steps.at(-1)?.[0];
    const sameStep = previous?.runId === entry.runId && previous.step === entry.step && entry.step > 0;
    if (sameStep) steps.at(-1)?.push(entry);
    else steps.push([entry]);
  }
  return steps;
}

function userMessage(entry: MessageEntry): ModelMessage {
  return { role: 'user', content: entry.content.map(userPart) };
}

function userPart(part: ContentPart): Exclude<UserContent, string>[number] {
  if (part.type === 'text') return { type: 'text', text: part.text } satisfies TextPart;
  const data = part.type === 'data' ? part.data : new URL(part.fileUri);
  return { type: 'file', data, mediaType: part.mimeType } satisfies FilePart;
}

function assistantStep(entries: readonly TimelineEntry[]): ModelMessage[] {
  const texts = entries.flatMap((entry) => (entry.kind === 'message' ? [textOf(entry.content)] : []));
  const calls = entries.filter((entry): entry is CallEntry => entry.kind !== 'message');
  const said = texts.filter((text) => text !== '').map((text) => ({ type: 'text' as const, text }));
  // An empty reply is nothing that a provider would take back.
  if (said.length === 0 && calls.length === 0) return [];
  if (calls.length === 0) return [{ role: 'assistant', content: said }];
  const asked = calls.map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.callId,
    toolName: call.name,
    input: call.arguments,
  }));
  return [
    { role: 'assistant', content: [...said, ...asked] },
    { role: 'tool', content: calls.map(toolResult) },
  ];
}

type ToolContent = Extract<ModelMessage, { role: 'tool' }>['content'];

function toolResult(call: CallEntry): ToolContent[number] {
  const base = { type: 'tool-result' as const, toolCallId: call.callId, toolName: call.name };
  if (call.output === null || call.output === undefined) {
    return { ...base, output: { type: 'error-text', value: call.kind === 'client_tool' ? INTERRUPTED : UNKNOWN } };
  }
  return { ...base, output: { type: call.status === 'failed' ? 'error-json' : 'json', value: call.output as never } };
}
