import { ServiceError } from '../../contract/errors.ts';
import { historyItemId } from '../../contract/ids.ts';

/** The error of an item that is not in the active line. */
export function superseded(by: bigint | null, param: string): ServiceError {
  return new ServiceError(
    'message_superseded',
    '{param} is not in the active line of the conversation any more. Read the conversation again, and use an ID of it.',
    { param: [param], facts: { superseded_by: by === null ? null : historyItemId(by) } },
  );
}
