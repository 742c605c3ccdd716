import { ServiceError } from '../../contract/errors.ts';

const ITEM_ID = /^(?:item_)?0*(\d{1,18})$/;

/** The number of an item of a timeline, from its number or the `itemId` of the history. Undefined: no item has this ID. */
export function itemNumber(id: string): bigint | undefined {
  const [, number] = ITEM_ID.exec(id) ?? [];
  return number === undefined ? undefined : BigInt(number);
}

export function messageNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no message with this ID in this conversation. Check {param}.', {
    param: ['messageId'],
  });
}
