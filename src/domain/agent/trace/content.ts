import { LIMITS } from '../../../contract/limits.ts';
import { ModelError, type ModelMessage, type ModelRequest, type ModelStep } from '../model-port.ts';
import type {
  Answer,
  CallContent,
  CutOff,
  Prompt,
  PromptMessage,
  StepContent,
  TracedCall,
  TracedStep,
} from './span.ts';

const MOST = LIMITS.traceContentLength;

interface Bounded<Value> {
  readonly value: Value;
  readonly isTruncated: boolean;
}

interface Measured<Value> extends Bounded<Value> {
  /** How much of the limit it takes: the length of its JSON. */
  readonly length: number;
}

/** The content of a model step, within the limits of a trace. */
export function stepContent({ request, failures, result }: TracedStep): StepContent {
  const prompt = boundedPrompt(request);
  const answer = boundedAnswer(result);
  const error = result instanceof ModelError ? result.message : null;
  const isTruncated = prompt.isTruncated || answer.isTruncated;
  const { isSummary = false } = request;
  return { prompt: prompt.value, answer: answer.value, error, failures, isTruncated, isSummary };
}

/** The content of a call, within the limits of a trace. */
export function callContent(call: TracedCall): CallContent {
  const args = bounded(call.arguments);
  const result = bounded(call.result);
  return { arguments: args.value, result: result.value, isTruncated: args.isTruncated || result.isTruncated };
}

/** A value as it is, or an object with the beginning of its JSON. */
function bounded<Value>(value: Value, most: number = MOST): Measured<Value | CutOff> {
  const text = JSON.stringify(value);
  if (text.length <= most) return { value, isTruncated: false, length: text.length };
  return { value: { truncated: text.slice(0, most) }, isTruncated: true, length: most };
}

/** The instructions get half of the limit at most. The latest messages get the rest, because they explain the answer. */
function boundedPrompt({ instructions, messages, tools }: ModelRequest): Bounded<Prompt> {
  const shown = instructions.slice(0, MOST / 2);
  const kept: PromptMessage[] = [];
  let left = MOST - shown.length;
  let isTruncated = shown.length < instructions.length;
  for (let index = messages.length - 1; index >= 0 && left > 0; index -= 1) {
    const { role, content } = described(messages[index] as ModelMessage);
    const part = bounded(content, left);
    left -= part.length;
    isTruncated ||= part.isTruncated;
    kept.unshift({ role, content: part.value });
  }
  const messagesLeftOut = messages.length - kept.length;
  const value = { instructions: shown, messages: kept, messagesLeftOut, tools: tools.map(({ name }) => name) };
  return { value, isTruncated: isTruncated || messagesLeftOut > 0 };
}

/** A message without the bytes of its files, and without reasoning, which is not stored. */
function described({ role, content }: ModelMessage): PromptMessage {
  if (typeof content === 'string') return { role, content };
  const parts = content.filter(({ type }) => type !== 'reasoning');
  return { role, content: parts.map(describedPart) };
}

function describedPart(part: Exclude<ModelMessage['content'], string>[number]) {
  if (part.type === 'file') return withoutBytes(part);
  if (part.type !== 'tool-result' || !part.files) return withoutMetadata(part);
  return { ...part, files: part.files.map((file) => (file.type === 'file' ? withoutBytes(file) : file)) };
}

/** The provider's own data can be read by its adapter only. */
function withoutMetadata<Part extends object>({ ...part }: Part): Part {
  if ('metadata' in part) delete part.metadata;
  return part;
}

type FilePart = Extract<Exclude<Extract<ModelMessage, { role: 'user' }>['content'], string>[number], { type: 'file' }>;

function withoutBytes({ data, mediaType, filename }: FilePart) {
  const source = data instanceof URL ? { url: data.href } : { bytes: Buffer.byteLength(data, 'base64') };
  return { type: 'file', mediaType, ...(filename !== undefined && { filename }), ...source };
}

function boundedAnswer(result: TracedStep['result']): Bounded<Answer> {
  if (result instanceof ModelError) return answerOf(result.partialText, []);
  return result instanceof Error ? answerOf('', []) : answerOf((result as ModelStep).text, (result as ModelStep).calls);
}

/** The text gets half of the limit at least. Each call gets an equal share of the rest. */
function answerOf(text: string, calls: ModelStep['calls']): Bounded<Answer> {
  const size = calls.length === 0 ? 0 : JSON.stringify(calls).length;
  const shown = text.slice(0, Math.max(MOST / 2, MOST - size));
  const most = Math.floor((MOST - shown.length) / Math.max(1, calls.length));
  const parts = calls.map(({ name, arguments: args }) => ({ name, ...argumentsOf(bounded(args, most)) }));
  const isTruncated = shown.length < text.length || parts.some((part) => part.isTruncated);
  return { value: { text: shown, calls: parts.map(({ isTruncated: _, ...call }) => call) }, isTruncated };
}

const argumentsOf = ({ value, isTruncated }: Bounded<Readonly<Record<string, unknown>>>) => ({
  arguments: value,
  isTruncated,
});
