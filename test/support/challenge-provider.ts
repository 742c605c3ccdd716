import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/** Verifies responses like Turnstile, hCaptcha and reCAPTCHA. */
export interface ChallengeProvider {
  readonly url: string;
  readonly requests: URLSearchParams[];
  /** The response to the next requests. */
  reply: { status: number; body: string };
  close(): void;
}

export async function startChallengeProvider(): Promise<ChallengeProvider> {
  const requests: URLSearchParams[] = [];
  const provider = { requests, reply: { status: 200, body: '{"success":true}' }, url: '', close: () => {} };
  const server = createServer(async (request: IncomingMessage, response) => {
    requests.push(new URLSearchParams(await readText(request)));
    response.writeHead(provider.reply.status).end(provider.reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`;
  provider.close = () => void server.close();
  return provider;
}
