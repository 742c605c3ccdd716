import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { DialectCase } from './cases.ts';

/** The reply to every request that has the results of calls. */
export const AFTER_CALLS = 'Done.';

export interface DialectProvider {
  readonly url: string;
  /** What the model got for the calls of a conversation that began with this text. */
  resultsOf(opening: string): string;
  /** Lets the reply to this text begin, if it is `held`. */
  release(opening: string): void;
  close(): Promise<void>;
}

/** A provider that answers the message `case: NAME …` with the chunks of the case. A text with `held` waits. */
export async function startDialectProvider(cases: readonly DialectCase[]): Promise<DialectProvider> {
  const byName = new Map(cases.map((one) => [one.name, one]));
  const results = new Map<string, string>();
  const gates = new Map<string, Gate>();
  const gateOf = (opening: string): Gate => {
    const gate = gates.get(opening) ?? newGate();
    gates.set(opening, gate);
    return gate;
  };
  const server = createServer(async (request, response) => {
    const { messages } = JSON.parse(await text(request)) as { readonly messages: readonly object[] };
    const [opening = '', name = ''] = /case: (\S+)[^"]*/.exec(JSON.stringify(messages)) ?? [];
    const last = JSON.stringify(messages.at(-1));
    const found = byName.get(name);
    if (/"role":"tool"|"tool_result"/.test(last)) {
      results.set(opening, last);
      send(response, finished(request.url ?? ''));
    } else if (found) {
      if (opening.endsWith('held')) await gateOf(opening).opened;
      send(response, found);
    } else {
      response.writeHead(404).end();
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    resultsOf: (opening) => results.get(opening) ?? '',
    release: (opening) => gateOf(opening).open(),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

function newGate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

type Sent = Pick<DialectCase, 'protocol' | 'status' | 'contentType' | 'chunks' | 'end'>;

function send(response: ServerResponse, { protocol, status, contentType, chunks, end }: Sent): void {
  response.writeHead(status, { 'content-type': contentType });
  const isStream = contentType === 'text/event-stream';
  for (const chunk of chunks) {
    if (typeof chunk === 'string') response.write(chunk);
    else response.write(isStream ? `data: ${JSON.stringify(chunk)}\n\n` : JSON.stringify(chunk));
  }
  if (end === 'cut') response.write('', () => response.destroy());
  else if (end !== 'hang') response.end(end === 'done' && protocol === 'chat' && isStream ? 'data: [DONE]\n\n' : '');
}

function finished(path: string): Sent {
  const base = { status: 200, contentType: 'application/json', end: 'close' } as const;
  if (path.endsWith('/messages')) {
    const content = [{ type: 'text', text: AFTER_CALLS }];
    return { ...base, protocol: 'messages', chunks: [{ type: 'message', content, stop_reason: 'end_turn' }] };
  }
  const choice = { message: { content: AFTER_CALLS }, finish_reason: 'stop' };
  return { ...base, protocol: 'chat', chunks: [{ choices: [choice] }] };
}
