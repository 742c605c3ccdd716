import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A third-party site. Browsers tell sites apart by host name, so it has another one than the service. */
export interface Site {
  readonly origin: string;
  /** Sets the body of its page and its content security policy. */
  show(body: string, policy?: string): void;
  close(): Promise<void>;
}

export async function startSite(): Promise<Site> {
  let content = { body: '', policy: '' };
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (content.policy) response.setHeader('content-security-policy', content.policy);
    response.end(`<!doctype html><html lang="en"><head><title>A site</title><link rel="icon" href="data:,">
      </head><body><main><h1>A site</h1>${content.body}</main></body></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    show(body, policy = '') {
      content = { body, policy };
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
