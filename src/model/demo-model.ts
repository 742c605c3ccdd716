import { NO_USAGE } from '../contract/token-usage.ts';
import {
  type ModelCall,
  ModelError,
  type ModelPort,
  type ModelRequest,
  type ModelStep,
} from '../domain/agent/model-port.ts';
import type { DemoAction } from './demo-commands.ts';
import { countWords, type DemoConversation, readConversation } from './demo-conversation.ts';
import { readScript, type ScriptStep } from './demo-script.ts';
import { pause, speak } from './demo-speech.ts';
import { runStep, type StepRun } from './step-run.ts';

/**
 * A model without a provider: deterministic, for demonstrations and tests. It repeats the user's message. A message
 * that starts with `/` is a script, one step per line.
 */
export const demoModel: Pick<ModelPort, 'step'> = {
  step: (request, onText) => runStep(request, onText, (run) => demoStep(request, run)),
};

async function demoStep(request: ModelRequest, run: StepRun): Promise<Omit<ModelStep, 'text'>> {
  const conversation = readConversation(request);
  run.isAsked = true;
  if (request.isSummary) return demoSummary(conversation, run);
  const { waitMs, actions } = nextStep(conversation);
  await pause(waitMs, run.signal);

  const thought = actions.flatMap((action) => (action.kind === 'think' ? [action.text] : [])).join('\n');
  await speak(thought, run.think, { signal: run.signal, isWatched: request.isWatched });
  const text = textOf(actions, conversation);
  await speak(text, run.say, { signal: run.signal, isWatched: request.isWatched });
  if (actions.some((action) => action.kind === 'fail')) {
    run.isAsked = text !== '';
    throw new ModelError('failed', 'The demo model failed, as the script requested.');
  }
  return {
    finishReason: 'stop',
    calls: callsOf(actions),
    ...NO_USAGE,
    inputTokens: conversation.wordCount,
    outputTokens: countWords(text),
  };
}

/** The beginning of each line of the transcript, up to a limit: enough to see what a summary covers. */
async function demoSummary({ userText, wordCount }: DemoConversation, run: StepRun): Promise<Omit<ModelStep, 'text'>> {
  const lines = userText.split('\n').filter((line) => line.trim() !== '');
  const text = lines
    .map((line) => line.slice(0, SUMMARY_LINE))
    .join('\n')
    .slice(0, SUMMARY_LENGTH);
  await run.say(text.toWellFormed());
  return { finishReason: 'stop', calls: [], ...NO_USAGE, inputTokens: wordCount, outputTokens: countWords(text) };
}

const SUMMARY_LINE = 80;
const SUMMARY_LENGTH = 2_000;

/**
 * The current step. The number of replies since the last user message tells which line a resumed script has reached.
 */
function nextStep(conversation: DemoConversation): ScriptStep {
  const { userText, userFiles, stepsSince } = conversation;
  if (!userText.startsWith('/')) return say(echo(userText, userFiles));
  const script = readScript(userText);
  if ('problem' in script) return say(script.problem);
  return script.steps[stepsSince] ?? { waitMs: 0, actions: [] };
}

function say(text: string): ScriptStep {
  return { waitMs: 0, actions: [{ kind: 'say', text }] };
}

function echo(text: string, files: number): string {
  const mention = files === 0 ? [] : [`(${files} ${files === 1 ? 'file' : 'files'})`];
  return ['You said:', ...(text === '' ? [] : [text]), ...mention].join(' ');
}

function textOf(actions: readonly DemoAction[], conversation: DemoConversation): string {
  if (actions.length === 0) return closingText(conversation);
  return actions.flatMap((action) => spokenBy(action, conversation)).join('\n');
}

function spokenBy(action: DemoAction, { userTexts, instructions }: DemoConversation): string[] {
  if (action.kind === 'say') return [action.text];
  if (action.kind === 'history') return [JSON.stringify(userTexts)];
  if (action.kind === 'instructions') return [instructions];
  return [];
}

function closingText({ toolOutputs }: DemoConversation): string {
  return toolOutputs.length > 0 ? JSON.stringify(toolOutputs) : 'Done.';
}

function callsOf(actions: readonly DemoAction[]): ModelCall[] {
  return actions.flatMap((action) => (action.kind === 'call' ? [action.call] : []));
}
