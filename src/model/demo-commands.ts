import type { ModelCall } from '../domain/agent/model-port.ts';
import { DEMO_QUESTIONS, DEMO_UPLOAD_PROMPT } from './demo-tools.ts';

/** What the demo model does in one command of a step. */
export type DemoAction =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'call'; readonly call: ModelCall }
  | { readonly kind: 'history' }
  | { readonly kind: 'instructions' }
  | { readonly kind: 'fail' };

/** A script that cannot be followed. `message` says why. */
export class ProblemError extends Error {}

/** Shown wherever a script is wrong. */
export const COMMAND_LIST = [
  'Commands, one step a line, joined in one step by " && ":',
  '/say TEXT',
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
  ['/call', readCall],
  ['/ask', (rest) => alone('/ask', rest, call('ask_user', { questions: DEMO_QUESTIONS }))],
  ['/upload', (rest) => call('upload_document', { prompt: rest || DEMO_UPLOAD_PROMPT, multiple: true })],
  ['/complete', (rest) => call('complete_conversation', rest ? { summary: rest } : {})],
  ['/fail', (rest) => alone('/fail', rest, { kind: 'fail' })],
  ['/stream', readStream],
  ['/history', (rest) => alone('/history', rest, { kind: 'history' })],
  ['/instructions', (rest) => alone('/instructions', rest, { kind: 'instructions' })],
] satisfies [string, (rest: string) => DemoAction][]);

/** Reads one command. Throws {@link ProblemError}. */
export function readAction(command: string): DemoAction {
  const [name, rest] = cut(command);
  if (name === '/slow') throw new ProblemError('/slow cannot be joined to another command.');
  const read = READERS.get(name);
  if (!read) throw new ProblemError(`There is no command ${name}.`);
  return read(rest);
}

/** The first word, and what follows it. */
function cut(text: string): [first: string, rest: string] {
  const end = text.search(/\s/);
  return end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end).trim()];
}

function call(name: string, args: Record<string, unknown>): DemoAction {
  return { kind: 'call', call: { name, arguments: args } };
}

function alone(command: string, rest: string, action: DemoAction): DemoAction {
  if (rest !== '') throw new ProblemError(`${command} takes nothing after it.`);
  return action;
}

function readSay(rest: string): DemoAction {
  if (rest === '') throw new ProblemError('/say needs a text.');
  return { kind: 'say', text: rest };
}

function readCall(rest: string): DemoAction {
  const [name, json] = cut(rest);
  if (name === '') throw new ProblemError('/call needs the name of a tool.');
  return call(name, json === '' ? {} : readArguments(name, json));
}

function readArguments(name: string, json: string): Record<string, unknown> {
  const value = parse(name, json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProblemError(`The arguments of /call ${name} must be a JSON object.`);
  }
  return value as Record<string, unknown>;
}

function parse(name: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new ProblemError(`The arguments of /call ${name} are not valid JSON.`);
  }
}

function readStream(rest: string): DemoAction {
  const count = /^\d+$/.test(rest) ? Number(rest) : 0;
  if (count < 1 || count > MOST_WORDS) {
    throw new ProblemError(`/stream takes a number of words from 1 to ${MOST_WORDS}.`);
  }
  return { kind: 'say', text: Array.from({ length: count }, (_, index) => `word${index + 1}`).join(' ') };
}
