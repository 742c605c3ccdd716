import { ServiceError } from '../../contract/errors.ts';
import { historyItemId } from '../../contract/ids.ts';

const REPLACED =
  '{param} is not in the active line of the conversation any more. Read the conversation again, and use an ID of it.';

/** The error of an item that is not in the active line. */
export function superseded(by: bigint | null, param: string, message = REPLACED): ServiceError {
  const facts = { superseded_by: by === null ? null : historyItemId(by) };
  return new ServiceError('message_superseded', message, { param: [param], facts });
}
