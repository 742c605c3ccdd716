import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site of somebody else, which browsers take for another one than the service's: by its name, not by its port. */
export interface Site {
  readonly origin: string;
  /** What stands in the body of its page from now on, and what its policy is. */
  show(body: string, policy?: string): void;
  close(): Promise<void>;
}

export async function startSite(): Promise<Site> {
  let shown = { body: '', policy: '' };
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (shown.policy) response.setHeader('content-security-policy', shown.policy);
    response.end(`<!doctype html><html lang="en"><head><title>A site</title><link rel="icon" href="data:,">
      </head><body><main><h1>A site</h1>${shown.body}</main></body></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    show(body, policy = '') {
      shown = { body, policy };
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
