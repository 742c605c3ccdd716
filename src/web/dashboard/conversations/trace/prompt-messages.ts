/** A part of a message of a prompt, as people read it. */
export type MessagePart =
  | { readonly kind: 'text'; readonly text: string }
  /** The beginning of the JSON of content that is too long for the trace. */
  | { readonly kind: 'cut'; readonly text: string }
  | { readonly kind: 'file'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'result'; readonly name: string; readonly value: unknown; readonly isFailed: boolean }
  /** A part of another release. */
  | { readonly kind: 'other'; readonly value: unknown };

/** A message of a prompt. */
export interface PromptMessage {
  readonly role: string;
  readonly parts: readonly MessagePart[];
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Reads a message of a trace. Nothing is lost: what it does not know becomes a part with the value itself. */
export function promptMessage(message: unknown): PromptMessage {
  if (!isFields(message)) return { role: '', parts: [{ kind: 'other', value: message }] };
  const { role, content } = message;
  return { role: String(role ?? ''), parts: partsOf(content) };
}

function partsOf(content: unknown): MessagePart[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (Array.isArray(content)) return content.flatMap(partOf);
  if (isFields(content) && typeof content.truncated === 'string') return [{ kind: 'cut', text: content.truncated }];
  return [{ kind: 'other', value: content }];
}

function partOf(part: unknown): MessagePart | MessagePart[] {
  if (!isFields(part)) return { kind: 'other', value: part };
  const { type, text, toolName, input } = part;
  if (type === 'text' && typeof text === 'string') return { kind: 'text', text };
  if (type === 'file') return { kind: 'file', text: fileText(part) };
  if (type === 'tool-call') return { kind: 'call', name: String(toolName), value: input };
  if (type === 'tool-result') return resultParts(part);
  return { kind: 'other', value: part };
}

function resultParts({ toolName, output, files }: Fields): MessagePart[] {
  const { type, value } = isFields(output) ? output : { type: undefined, value: output };
  const isFailed = type === 'error-json' || type === 'error-text';
  const attached = Array.isArray(files) ? files.flatMap(partOf) : [];
  return [{ kind: 'result', name: String(toolName), value, isFailed }, ...attached];
}

/** photo.png, image/png, 2,048 bytes */
function fileText({ filename, mediaType, bytes, url }: Fields): string {
  const size = typeof bytes === 'number' ? `${bytes.toLocaleString('en')} bytes` : undefined;
  return [filename, mediaType, size, url].filter((fact) => fact !== undefined).join(', ');
}
