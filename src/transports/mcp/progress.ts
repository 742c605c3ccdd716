import type { ProgressNotification } from '@modelcontextprotocol/server';

/** The time between two notifications. */
const INTERVAL_MS = 200;

/** Reports the text of a reply as notifications with the new text, as long as the client has asked for progress. */
export function progressReporter(
  progressToken: string | number | undefined,
  send: (notification: ProgressNotification) => Promise<void>,
) {
  let written = 0;
  let unsent = '';
  let sentAt = 0;
  let sending = Promise.resolve();

  function flush(progressToken: string | number): void {
    if (unsent === '') return;
    written += unsent.length;
    const params = { progressToken, progress: written, message: unsent };
    unsent = '';
    sentAt = Date.now();
    // A client that has gone learns the result from the conversation.
    sending = sending.then(() => send({ method: 'notifications/progress', params })).catch(() => {});
  }

  return {
    report(text: string): void {
      if (progressToken === undefined) return;
      unsent += text;
      if (Date.now() - sentAt >= INTERVAL_MS) flush(progressToken);
    },
    /** Sends the rest. */
    async end(): Promise<void> {
      if (progressToken !== undefined) flush(progressToken);
      await sending;
    },
  };
}
