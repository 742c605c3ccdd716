import { setTimeout as delay } from 'node:timers/promises';
import type { ModelRequest } from '../domain/agent/model-port.ts';
import type { StepRun } from './step-run.ts';

const WORD_PAUSE_MS = 15;

/** The limit of all pauses together, so that a long text ends within a usual timeout. */
const LONGEST_SPEECH_MS = 30_000;

/** Writes a text word by word while somebody reads it. Otherwise it writes the rest at once. */
export async function speak(
  text: string,
  say: StepRun['say'],
  { signal, isWatched = () => false }: Pick<StepRun, 'signal'> & Pick<ModelRequest, 'isWatched'>,
): Promise<void> {
  const words = wordsOf(text);
  const pauseMs = Math.min(WORD_PAUSE_MS, Math.floor(LONGEST_SPEECH_MS / words.length));
  for (const [index, word] of words.entries()) {
    if (!isWatched()) return say(words.slice(index).join(''));
    if (index > 0) await pause(pauseMs, signal);
    await say(word);
  }
}

/** Waits. Throws when the step must end. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal });
}

/** Splits before every word but the first, so that each piece keeps its trailing space. */
function wordsOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\s)(?=\S)/);
}
