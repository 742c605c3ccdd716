import { v7 as uuidv7 } from 'uuid';
import type { TypeId } from '../contract/ids.ts';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

/** 128 bits in base-32 digits: 26 digits, the first below 8. */
const DIGITS = 26;

/** Creates a public ID such as `key_01jd…`. IDs sort by creation time (TypeID over UUIDv7, WIRE 5). */
export function newTypeId<Prefix extends string>(prefix: Prefix): TypeId<Prefix> {
  let rest = BigInt(`0x${uuidv7().replaceAll('-', '')}`);
  let digits = '';
  for (let index = 0; index < DIGITS; index += 1) {
    digits = CROCKFORD.charAt(Number(rest & 31n)) + digits;
    rest >>= 5n;
  }
  return `${prefix}_${digits}`;
}
