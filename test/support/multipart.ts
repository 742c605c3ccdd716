/** The Accept header of Apollo Client's subscriptions. */
export const ACCEPT_MULTIPART = 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json';

/** A part of Apollo's multipart protocol. A heartbeat is empty. */
export interface Part {
  readonly payload?: object | null;
  readonly errors?: readonly object[];
}

/** The parts of a multipart response, read as RFC 2046 describes it. @throws if the response ends without its last delimiter */
export async function* partsOf(response: Response): AsyncGenerator<Part, void> {
  const [, boundary] = /boundary="([^"]+)"/.exec(response.headers.get('content-type') ?? '') ?? [];
  const delimiter = `\r\n--${boundary}`;
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    const parts = text.split(delimiter);
    // Incomplete, unless it is the end.
    text = parts.pop() ?? '';
    for (const part of parts.filter((each) => each !== '')) {
      const [headers = '', body = ''] = part.split('\r\n\r\n');
      if (!/^content-type: application\/json$/im.test(headers.trim())) throw new Error(`a part with ${headers}`);
      yield JSON.parse(body);
    }
    if (text === '--\r\n') return;
  }
  throw new Error('The response ended without its last delimiter.');
}

/** The results in the parts, as other transports send them. */
export async function* resultsOf(response: Response): AsyncGenerator<object, void> {
  for await (const { payload, errors } of partsOf(response)) {
    if (payload) yield payload;
    else if (errors) yield { errors };
  }
}
