import { UPLOAD_TOOL } from '../../../contract/client-tools.ts';
import { type ContentPart, textOf } from '../../../contract/content.ts';
import { fileIdOfUri } from '../../../contract/file-uri.ts';
import { READ_FILE_TOOL } from '../../../contract/tool-names.ts';
import { resultFilesOf } from '../../actions/result-files.ts';
import {
  type CallEntry,
  isCall,
  isUserMessage,
  type MessageEntry,
  type PriorEffects,
  type TimelineEntry,
} from '../../conversations/timeline.ts';
import type { WorkflowConfig } from '../../workflows/config.ts';
import {
  type FilePart,
  type ModelMessage,
  PERSON_WROTE_LAST,
  REPLACED_ACTIONS,
  REPLIED_WITHOUT_IT,
  RESULT_FILES,
  SUMMARY_FOLLOWS,
  type TextPart,
  type ToolResultPart,
} from '../model-port.ts';
import { schemaInstructions } from '../structured-reply.ts';
import { asksForDecision } from '../tools/decision.ts';
import { uploadedContent } from '../tools/upload-document.ts';
import { handBackText } from './hand-back-text.ts';
import { quoted, writtenBy } from './quoted.ts';
import { type ContextRoom, Room } from './room.ts';
import { type StepMemories, type StepMemory, stepKey } from './step-memory.ts';
import { textWithFiles } from './transcript.ts';

const INTERRUPTED = 'This call was interrupted before it had a result.';

const UNKNOWN = `${INTERRUPTED} Whether it did anything is not known: find out before you repeat it.`;

/** Fills `{{NAME}}` in the deployment's instructions. An unknown name becomes an empty string. */
export function compileInstructions(config: WorkflowConfig, variables: Readonly<Record<string, string>>): string {
  const filled = config.instructions.replace(/\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g, (_, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? '') : '',
  );
  return config.outputSchema ? `${filled}${schemaInstructions(config.outputSchema)}` : filled;
}

interface PromptOptions {
  readonly memories?: StepMemories | undefined;
  /** A result that is too large for the rest of the context is cut off. Undefined: results are whole. */
  readonly context?: ContextRoom | undefined;
}

/**
 * Builds the model's messages from the stored timeline. The calls of one step become one assistant message, followed by
 * their results, as all providers require. A call without a result says that it was interrupted.
 */
export function compilePrompt(
  entries: readonly TimelineEntry[],
  { memories = new Map(), context }: PromptOptions = {},
): ModelMessage[] {
  const steps: TimelineEntry[][] = [];
  for (const entry of entries) {
    // The model did not call a tool of the service.
    if (asksForDecision(entry)) continue;
    const step = steps.at(-1);
    if (step?.[0] && entry.step > 0 && stepKey(step[0]) === stepKey(entry)) step.push(entry);
    else steps.push([entry]);
  }
  const room = context && new Room(context);
  const last = entries.at(-1);
  const messages = steps.flatMap((step): ModelMessage[] => {
    const [first] = step;
    const prior = first?.kind === 'message' ? first.priorEffects : undefined;
    const before = prior ? replacedActions(prior, entries) : [];
    const messages = [...before, ...messagesOf(step, first && memories.get(stepKey(first)))];
    return room ? messages.map((message) => room.fitted(message)) : messages;
  });
  // Providers want to be asked by a user.
  if (last?.kind !== 'message' || last.role === 'user') return messages;
  return [...messages, { role: 'user', content: last.author ? PERSON_WROTE_LAST : REPLIED_WITHOUT_IT }];
}

function messagesOf(step: readonly TimelineEntry[], memory: StepMemory | undefined): ModelMessage[] {
  const [first] = step;
  if (first?.kind === 'summary')
    return [{ role: 'user', content: `${SUMMARY_FOLLOWS}\n${quoted(first.text)}\n[End of the summary]` }];
  if (first?.kind === 'handling') return [{ role: 'user', content: handBackText(first.change) }];
  if (first && isUserMessage(first)) {
    return [{ role: 'user', content: first.content.map(first.isOfService ? promptPart : userPart) }];
  }
  return assistantStep(step, memory);
}

/** What replaced attempts at a message have done. A call that is active again is in the conversation itself. */
function replacedActions({ calls, others }: PriorEffects, entries: readonly TimelineEntry[]): ModelMessage[] {
  const active = new Set(entries.filter(isCall).map(({ callId }) => callId));
  const lines = calls
    .filter(({ callId }) => !active.has(callId))
    .map(({ name, status, arguments: args }) => JSON.stringify({ tool: name, status, arguments: args }));
  if (lines.length === 0) return [];
  const more = others > 0 ? [`and ${others} earlier ones`] : [];
  return [{ role: 'user', content: [REPLACED_ACTIONS, ...lines, ...more, '[End of the list]'].join('\n') }];
}

/** What a user wrote cannot look like words of the service. */
function userPart(part: ContentPart): TextPart | FilePart {
  return promptPart(part.type === 'text' ? { ...part, text: quoted(part.text) } : part);
}

function promptPart(part: ContentPart): TextPart | FilePart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const data = part.type === 'data' ? part.data : new URL(part.fileUri);
  return { type: 'file', data, mediaType: part.mimeType };
}

function assistantStep(entries: readonly TimelineEntry[], memory: StepMemory | undefined): ModelMessage[] {
  const texts = entries.flatMap((entry) => (entry.kind === 'message' ? [assistantText(entry)] : []));
  const calls = entries.filter(isCall);
  const textParts = texts.filter((text) => text !== '').map((text) => ({ type: 'text' as const, text }));
  // Providers reject empty replies.
  if (textParts.length === 0 && calls.length === 0) return [];
  if (calls.length === 0) return [{ role: 'assistant', content: textParts }];
  const callParts = calls.map((call, index) => ({
    type: 'tool-call' as const,
    toolCallId: call.callId,
    toolName: call.name,
    input: call.arguments,
    metadata: memory?.calls[index] ?? undefined,
  }));
  return [
    { role: 'assistant', content: [...(memory?.reasoning ?? []), ...textParts, ...callParts] },
    { role: 'tool', content: calls.map(toolResult) },
    ...resultFiles(calls),
  ];
}

/** A message of a person is marked, so that the model does not take it for its own. */
function assistantText({ content, author }: MessageEntry): string {
  return author ? `${writtenBy(author.displayName)}\n${textWithFiles(content)}` : quoted(textOf(content));
}

/** The tools whose results are files. */
const FILE_TOOLS: ReadonlyMap<string, CallEntry['kind']> = new Map([
  [UPLOAD_TOOL, 'client_tool'],
  [READ_FILE_TOOL, 'tool'],
]);

/** The uploaded files of tool results. A result is JSON, which has only their URIs, so they follow as a message. */
function resultFiles(calls: readonly CallEntry[]): ModelMessage[] {
  const files = calls
    .filter(({ name, kind, output }) => output && kind === FILE_TOOLS.get(name))
    .flatMap(({ output }) => uploadedContent(output as Readonly<Record<string, unknown>>))
    .filter((part) => part.type !== 'text' && part.type !== 'data' && fileIdOfUri(part.fileUri) !== undefined);
  return files.length > 0
    ? [{ role: 'user', content: [{ type: 'text', text: RESULT_FILES }, ...files.map(promptPart)] }]
    : [];
}

/** Whether the call of a server tool still waited for its approval. The results of client tools have no effects here. */
function hasNotRun({ kind, status }: CallEntry): boolean {
  return kind === 'client_tool' || status === 'cancelled' || status === 'pending';
}

function toolResult(call: CallEntry): ToolResultPart {
  const files = resultFilesOf(call).map(
    ({ file_uri, mime_type }): FilePart => ({ type: 'file', data: new URL(file_uri), mediaType: mime_type }),
  );
  const named = { type: 'tool-result' as const, toolCallId: call.callId, toolName: call.name };
  const base = { ...named, ...(files.length > 0 && { files }) };
  if (call.output === null || call.output === undefined) {
    return { ...base, output: { type: 'error-text', value: hasNotRun(call) ? INTERRUPTED : UNKNOWN } };
  }
  return { ...base, output: { type: call.status === 'failed' ? 'error-json' : 'json', value: call.output } };
}
