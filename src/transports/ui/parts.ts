import type { UIMessage } from 'ai';
import type { ChatChunk } from './chunks.ts';

type Part = UIMessage['parts'][number];

/** A part while its chunks are added: the states of a call have different fields. */
type Draft = { type: string; [field: string]: unknown };

/** Makes the parts of a message of its chunks, as the AI SDK does in a browser. Only a complete message can be read. */
export function partsOf(chunks: readonly ChatChunk[]): Part[] {
  const parts: Draft[] = [];
  const callOf = (id: string) => parts.find(({ toolCallId }) => toolCallId === id) ?? { type: '' };
  for (const chunk of chunks) add(chunk, parts, callOf);
  return parts as Part[];
}

function add(chunk: ChatChunk, parts: Draft[], callOf: (id: string) => Draft): void {
  const last = parts.at(-1);
  switch (chunk.type) {
    case 'start-step':
      parts.push({ type: 'step-start' });
      break;
    case 'text-start':
      parts.push({ type: 'text', text: '', state: 'streaming' });
      break;
    case 'text-delta':
      if (last) last.text = `${last.text}${chunk.delta}`;
      break;
    case 'text-end':
      if (last) last.state = 'done';
      break;
    case 'tool-input-start':
      parts.push({ type: `tool-${chunk.toolName}`, toolCallId: chunk.toolCallId });
      break;
    case 'tool-input-delta':
      // The arguments come in one piece.
      callOf(chunk.toolCallId).input = JSON.parse(chunk.inputTextDelta);
      break;
    case 'tool-input-available': {
      const { toolCallId, toolName, input, dynamic } = chunk;
      const kind = dynamic ? { type: 'dynamic-tool', toolName, providerExecuted: true } : { type: `tool-${toolName}` };
      parts.push({ ...kind, toolCallId, state: 'input-available', input });
      break;
    }
    case 'tool-approval-request':
      Object.assign(callOf(chunk.toolCallId), { state: 'approval-requested', approval: { id: chunk.approvalId } });
      break;
    case 'tool-output-available':
      Object.assign(callOf(chunk.toolCallId), { state: 'output-available', output: chunk.output });
      break;
    case 'tool-output-error':
      Object.assign(callOf(chunk.toolCallId), { state: 'output-error', errorText: chunk.errorText });
      break;
    case 'tool-output-denied':
      Object.assign(callOf(chunk.toolCallId), { state: 'output-denied' });
      break;
    default:
    // Starts and ends of messages are no parts.
  }
}
