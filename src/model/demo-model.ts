import {
  type ModelCall,
  ModelFailure,
  type ModelPort,
  type ModelRequest,
  type ModelStep,
} from '../domain/agent/model-port.ts';
import type { DemoAction } from './demo-commands.ts';
import { countWords, type DemoConversation, readConversation } from './demo-conversation.ts';
import { readScript, type ScriptStep } from './demo-script.ts';
import { pause, speak } from './demo-speech.ts';
import { runStep, type StepRun, type TextListener } from './step-run.ts';

/**
 * The model that needs no provider: deterministic, for trying the service out and for tests.
 * It repeats what it is told; a message that begins with `/` is a script of what it should do, one step a line.
 */
export const demoModel: ModelPort = {
  step: (request, onText) => runStep(request, onText, (run) => demoStep(request, run, onText)),
};

async function demoStep(
  request: ModelRequest,
  run: StepRun,
  onText: TextListener | undefined,
): Promise<Omit<ModelStep, 'text'>> {
  const conversation = readConversation(request);
  const { waitMs, actions } = nextStep(conversation);
  await pause(waitMs, run.signal);

  const text = textOf(actions, conversation);
  await speak(text, run, onText !== undefined);
  if (actions.some((action) => action.kind === 'fail')) {
    throw new ModelFailure('failed', 'The demo model failed, as it was told to.');
  }
  return { calls: callsOf(actions), inputTokens: conversation.wordCount, outputTokens: countWords(text) };
}

/** What to do now. Counting the answers since the last user message lets a resumed script go on with its next line. */
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
