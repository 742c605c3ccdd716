import type { ExecutionResult } from 'graphql';
import type { StreamItem } from '../../operation/subscription-results.ts';
import { publicResult } from './public-errors.ts';
import type { StreamFormat } from './stream-format.ts';

/** A delimiter ends each part, so that clients read a part without waiting for the next one. */
const DELIMITER = '\r\n--graphql';

/** Apollo's multipart protocol for subscriptions, version 1.0. */
export const MULTIPART: StreamFormat = {
  mediaType: 'multipart/mixed',
  contentType: 'multipart/mixed;boundary="graphql";subscriptionSpec="1.0"',
  // Clients recognize the first delimiter by its line break. The first heartbeat opens the response.
  begin: Buffer.from(`${DELIMITER}${part({})}`),
  heartbeat: Buffer.from(part({})),
  encode: multipartPart,
  end: Buffer.from('--\r\n'),
};

function multipartPart(item: StreamItem): Buffer {
  item.multipartPart ??= Buffer.from(part(envelope(publicResult(item.result))));
  return item.multipartPart;
}

/** A result without data ends the subscription. The protocol reports its errors outside the payload. */
function envelope(result: ExecutionResult): object {
  return result.data === undefined ? { payload: null, errors: result.errors } : { payload: result };
}

function part(body: object): string {
  return `\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(body)}${DELIMITER}`;
}
