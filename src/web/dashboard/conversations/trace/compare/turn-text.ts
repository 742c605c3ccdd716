import { type MessagePart, promptMessage } from '../prompt-messages.ts';

interface Step {
  readonly prompt: {
    readonly instructions: string;
    readonly messages: readonly unknown[];
    readonly messagesLeftOut: number;
    readonly tools: readonly string[];
  } | null;
  readonly answer: { readonly text: string; readonly calls: readonly unknown[] } | null;
}

/** A part of a model step as text, so that two steps can be compared by lines. */
export interface StepTexts {
  readonly instructions: string;
  readonly messages: string;
  readonly tools: string;
  readonly answer: string;
}

export function textsOf({ prompt, answer }: Step): StepTexts {
  return {
    instructions: prompt?.instructions ?? '',
    messages: messagesText(prompt?.messages ?? [], prompt?.messagesLeftOut ?? 0),
    tools: (prompt?.tools ?? []).join('\n'),
    answer: [answer?.text ?? '', ...(answer?.calls ?? []).map(callText)].filter(Boolean).join('\n'),
  };
}

function messagesText(messages: readonly unknown[], leftOut: number): string {
  const texts = messages.map((message) => {
    const { role, parts } = promptMessage(message);
    return [`[${role}]`, ...parts.map(partText)].join('\n');
  });
  return [...(leftOut > 0 ? [`[${leftOut} earlier messages are not in the trace]`] : []), ...texts].join('\n\n');
}

function partText(part: MessagePart): string {
  if (part.kind === 'call') return callText({ name: part.name, arguments: part.value });
  if (part.kind === 'result') return `Result ${part.name}${part.isFailed ? ' (failed)' : ''}: ${json(part.value)}`;
  if (part.kind === 'other') return json(part.value);
  return part.kind === 'file' ? `File: ${part.text}` : part.text;
}

function callText(call: unknown): string {
  const { name, arguments: args } = call as Readonly<Record<string, unknown>>;
  return `Call ${name}: ${json(args)}`;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);
