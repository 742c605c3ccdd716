import { setTimeout as delay } from 'node:timers/promises';
import type { StepRun } from './step-run.ts';

const WORD_PAUSE_MS = 15;

/** The pauses of a long text add up to no more than this, so that it ends within a usual timeout. */
const LONGEST_SPEECH_MS = 30_000;

/** Says a text word by word, at a pace one can watch when somebody listens and at once when not. */
export async function speak(text: string, run: StepRun, heard: boolean): Promise<void> {
  if (!heard) {
    if (text !== '') await run.say(text);
    return;
  }
  const words = wordsOf(text);
  const pauseMs = Math.min(WORD_PAUSE_MS, Math.floor(LONGEST_SPEECH_MS / words.length));
  for (const [index, word] of words.entries()) {
    if (index > 0) await pause(pauseMs, run.signal);
    await run.say(word);
  }
}

/** Waits; throws as soon as the step has to end. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal });
}

/** Cut before every word but the first, so that each piece keeps the space behind it. */
function wordsOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\s)(?=\S)/);
}
