import type { ServerResponse } from 'node:http';

/** The chunk of each buffer that was written, for the other responses with the same bytes. */
const chunks = new WeakMap<Buffer, Buffer>();

/**
 * Writes bytes that other responses write too. Node would frame them for each response, with four buffers in a vector
 * and a task of its own. Returns whether the write buffer is full.
 */
export function writeShared(response: ServerResponse, bytes: Buffer): boolean {
  const { socket } = response;
  // A response has no socket while an earlier one of its connection has not ended. HTTP/1.0 has no chunks.
  if (!socket || !response.chunkedEncoding || hasWaitingChunks(response, socket)) return !response.write(bytes);
  return !socket.write(chunkOf(bytes));
}

/** Whether Node still holds what was written to the response, and not yet to its connection: it would come later. */
export function hasWaitingChunks(response: ServerResponse, socket: NonNullable<ServerResponse['socket']>): boolean {
  return response.writableLength > socket.writableLength;
}

function chunkOf(bytes: Buffer): Buffer {
  const known = chunks.get(bytes);
  if (known) return known;
  const chunk = Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  chunks.set(bytes, chunk);
  return chunk;
}

/** Resolves when the write buffer is empty or the connection is closed. */
export function drained(response: ServerResponse): Promise<void> {
  const { socket } = response;
  return new Promise((resolve) => {
    const done = () => {
      socket?.off('drain', done);
      response.off('drain', done).off('close', done);
      resolve();
    };
    // A write to the socket itself is no write of the response.
    socket?.on('drain', done);
    response.on('drain', done).on('close', done);
  });
}
