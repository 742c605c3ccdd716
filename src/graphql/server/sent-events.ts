import type { StreamItem } from '../../operation/subscription-results.ts';
import { publicResult } from './public-errors.ts';
import type { StreamFormat } from './stream-format.ts';

/** The distinct connections mode of GraphQL over SSE. */
export const SENT_EVENTS: StreamFormat = {
  mediaType: 'text/event-stream',
  contentType: 'text/event-stream; charset=utf-8',
  // Some clients treat a response as open only after its first bytes.
  begin: Buffer.from(':\n\n'),
  heartbeat: Buffer.from(':\n\n'),
  encode: sentEvent,
  end: Buffer.from('event: complete\ndata:\n\n'),
};

/** An item with an `id` if the subscription can resume after it. */
function sentEvent(item: StreamItem): Buffer {
  const { result, cursor } = item;
  const id = cursor === undefined ? '' : `id: ${cursor}\n`;
  item.sentEvent ??= Buffer.from(`${id}event: next\ndata: ${JSON.stringify(publicResult(result))}\n\n`);
  return item.sentEvent;
}
