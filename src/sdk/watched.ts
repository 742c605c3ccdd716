/** The service writes a sign of life every 15 s, where nothing else is to be told. */
const SILENCE_MS = 45_000;

/**
 * A stream's answer whose body fails where nothing comes for 45 s, and where it ends. A connection that is dead without
 * a word, as after a sleep or a change of network, would else be waited for without end; and so would, in graphql-sse
 * 2.6.1, one whose end comes while its reader is busy. A stream that was completed has been read before it fails.
 */
export function watchedAnswer(response: Response): Response {
  const { status, headers, body } = response;
  return body ? new Response(watchedBody(body.getReader()), { status, headers }) : response;
}

function watchedBody(reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silence = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new TypeError('nothing came for too long')), SILENCE_MS);
      });
      try {
        const { done, value } = await Promise.race([reader.read(), silence]);
        if (done) throw new TypeError('the stream has ended');
        controller.enqueue(value);
      } catch (error) {
        reader.cancel(error).catch(() => {});
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
