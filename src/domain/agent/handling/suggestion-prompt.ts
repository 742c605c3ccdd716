import { isCall, type MessageEntry, type TimelineEntry } from '../../conversations/timeline.ts';
import { PERSON_ANSWERS, TOOLS_RAN } from '../model-port.ts';
import { transcriptOf } from '../prompt/transcript.ts';

const REQUEST = `${PERSON_ANSWERS} write the next message that this person could send to the user, in the language of the conversation. It continues the conversation after its last message. Promise nothing that your instructions and the conversation do not support. You cannot use tools, and the person reads your text before the user does. Answer with the text of the message alone.`;

/** The most that a call takes in the prompt, in bytes. */
const CALL_BYTES = 8_000;

/**
 * The conversation for a model that suggests the next message. Providers reject calls of tools that are not offered, so the
 * calls become text.
 */
export function suggestionPrompt(history: readonly TimelineEntry[]): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  let lines: string[] = [];
  const flush = () => {
    if (lines.length > 0) entries.push(fromService([TOOLS_RAN, ...lines].join('\n')));
    lines = [];
  };
  for (const entry of history) {
    if (isCall(entry)) {
      const line = transcriptOf(entry, CALL_BYTES);
      if (line !== undefined) lines.push(line);
    } else {
      flush();
      entries.push(entry);
    }
  }
  flush();
  return [...entries, fromService(REQUEST)];
}

function fromService(text: string): MessageEntry {
  const content = [{ type: 'text', text } as const];
  return { id: 0n, runId: '', step: 0, kind: 'message', role: 'user', content, isOfService: true };
}
