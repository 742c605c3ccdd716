import { COMPLETION_TOOL } from '../contract/tool-names.ts';
import type { ModelCall } from '../domain/agent/model-port.ts';
import { DEMO_QUESTIONS, DEMO_UPLOAD_PROMPT } from './demo-tools.ts';

/** The effect of one command in a step. */
export type DemoAction =
  | { readonly kind: 'say' | 'think'; readonly text: string }
  | { readonly kind: 'call'; readonly call: ModelCall }
  | { readonly kind: 'history' }
  | { readonly kind: 'instructions' }
  | { readonly kind: 'fail' };

/** A script with an error. `message` describes the error. */
export class ScriptError extends Error {}

/** The help text of a script with an error. */
export const COMMAND_LIST = [
  'Commands, one step a line, joined in one step by " && ":',
  '/say TEXT',
  '/think TEXT',
  '/call NAME {"json": "arguments"}',
  '/ask',
  '/upload [PROMPT]',
  '/complete [SUMMARY]',
  '/fail',
  '/slow SECONDS (alone on its line)',
  '/stream WORDS',
  '/history',
  '/instructions',
].join('\n');

const MOST_WORDS = 10_000;

const READERS: ReadonlyMap<string, (rest: string) => DemoAction> = new Map([
  ['/say', readSay],
  ['/think', readThink],
  ['/call', readCall],
  ['/ask', (rest) => alone('/ask', rest, call('ask_user', { questions: DEMO_QUESTIONS }))],
  ['/upload', (rest) => call('upload_document', { prompt: rest || DEMO_UPLOAD_PROMPT, multiple: true })],
  ['/complete', (rest) => call(COMPLETION_TOOL, rest ? { summary: rest } : {})],
  ['/fail', (rest) => alone('/fail', rest, { kind: 'fail' })],
  ['/stream', readStream],
  ['/history', (rest) => alone('/history', rest, { kind: 'history' })],
  ['/instructions', (rest) => alone('/instructions', rest, { kind: 'instructions' })],
] satisfies [string, (rest: string) => DemoAction][]);

/** Parses one command. @throws {ScriptError} */
export function readAction(command: string): DemoAction {
  const [name, rest] = cut(command);
  if (name === '/slow') throw new ScriptError('/slow cannot be joined to another command.');
  const read = READERS.get(name);
  if (!read) throw new ScriptError(`There is no command ${name}.`);
  return read(rest);
}

/** Splits off the first word. */
function cut(text: string): [first: string, rest: string] {
  const end = text.search(/\s/);
  return end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end).trim()];
}

function call(name: string, args: Record<string, unknown>): DemoAction {
  return { kind: 'call', call: { name, arguments: args } };
}

function alone(command: string, rest: string, action: DemoAction): DemoAction {
  if (rest !== '') throw new ScriptError(`${command} takes nothing after it.`);
  return action;
}

function readSay(rest: string): DemoAction {
  if (rest === '') throw new ScriptError('/say needs a text.');
  return { kind: 'say', text: rest };
}

function readCall(rest: string): DemoAction {
  const [name, json] = cut(rest);
  if (name === '') throw new ScriptError('/call needs the name of a tool.');
  return call(name, json === '' ? {} : readArguments(name, json));
}

function readThink(rest: string): DemoAction {
  if (rest === '') throw new ScriptError('/think needs a text.');
  return { kind: 'think', text: rest };
}

function readArguments(name: string, json: string): Record<string, unknown> {
  const value = parse(name, json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ScriptError(`The arguments of /call ${name} must be a JSON object.`);
  }
  return value as Record<string, unknown>;
}

function parse(name: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new ScriptError(`The arguments of /call ${name} are not valid JSON.`);
  }
}

function readStream(rest: string): DemoAction {
  const count = /^\d+$/.test(rest) ? Number(rest) : 0;
  if (count < 1 || count > MOST_WORDS) {
    throw new ScriptError(`/stream takes a number of words from 1 to ${MOST_WORDS}.`);
  }
  return { kind: 'say', text: Array.from({ length: count }, (_, index) => `word${index + 1}`).join(' ') };
}
