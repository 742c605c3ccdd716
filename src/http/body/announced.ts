import type { IncomingMessage } from 'node:http';

/** Whether the client says that the request has a body. */
export function announcesBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Bytes of the body, if the client names them. */
export function announcedLength({ headers }: Pick<IncomingMessage, 'headers'>): number | undefined {
  return headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
}
