import type { SessionFetch } from '../../outbound/guarded-session.ts';
import { isObject } from './json-object.ts';

/** The client rejects a message with any other member. */
const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

const LINE_END = /[\r\n]/;

/** Removes what many servers add to their messages and the client rejects: other members, and null for an absent member. */
export function withCleanMessages(fetch: SessionFetch): SessionFetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok || !response.body) return response;
    if (/^application\/json\b/i.test(type)) {
      const read = response.json.bind(response);
      // Writing and parsing it again would hold up other requests.
      return Object.defineProperty(response, 'json', { value: async () => cleanBody(await read()) });
    }
    if (!/^text\/event-stream\b/i.test(type)) return response;
    const lines = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(cleanLines());
    const { status, headers } = response;
    return new Response(lines.pipeThrough(new TextEncoderStream()), { status, headers });
  };
}

/** Servers write a message as one line. */
function cleanLines(): TransformStream<string, string> {
  let pieces: string[] = [];
  return new TransformStream({
    transform(chunk, controller) {
      const end = Math.max(chunk.lastIndexOf('\n'), chunk.lastIndexOf('\r')) + 1;
      if (end === 0) return void pieces.push(chunk);
      const complete = pieces.join('') + chunk.slice(0, end);
      pieces = [chunk.slice(end)];
      for (const line of complete.split(/(?<=[\r\n])/)) controller.enqueue(cleanLine(line));
    },
    flush: (controller) => controller.enqueue(cleanLine(pieces.join(''))),
  });
}

const DATA = 'data:';

function cleanLine(line: string): string {
  if (!line.startsWith(DATA)) return line;
  const text = LINE_END.test(line.slice(-1)) ? line.slice(DATA.length, -1) : line.slice(DATA.length);
  try {
    const message: unknown = JSON.parse(text);
    const clean = cleanBody(message);
    return clean === message ? line : `${DATA} ${JSON.stringify(clean)}\n`;
  } catch {
    // The client reports it, or the message has more lines.
    return line;
  }
}

/** Returns the same value if it is clean. */
function cleanBody(body: unknown): unknown {
  return Array.isArray(body) ? body.map(cleanMessage) : cleanMessage(body);
}

function cleanMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { result } = message;
  const isClean = Object.entries(message).every(([name, value]) => isKept(name, value));
  const hasNoMeta = isObject(result) && result._meta === null;
  if (isClean && !hasNoMeta) return message;
  const kept = Object.fromEntries(Object.entries(message).filter(([name, value]) => isKept(name, value)));
  return hasNoMeta ? { ...kept, result: { ...result, _meta: {} } } : kept;
}

function isKept(name: string, value: unknown): boolean {
  return MEMBERS.has(name) && (value !== null || name === 'id');
}
