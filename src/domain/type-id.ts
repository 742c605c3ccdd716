import { v7 as uuidv7 } from 'uuid';
import { CROCKFORD, type TypeId } from '../contract/ids.ts';

/** Creates a public ID such as `key_01jd…`. IDs sort by creation time (TypeID over UUIDv7). */
export function newTypeId<Prefix extends string>(prefix: Prefix): TypeId<Prefix> {
  const bytes = uuidv7(undefined, new Uint8Array(16));
  let digits = '';
  // Two bits that are zero come first, so that the 128 bits fill 26 digits.
  let bits = 2;
  let rest = 0;
  for (const byte of bytes) {
    rest = (rest << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) digits += CROCKFORD.charAt((rest >> (bits - 5)) & 31);
    rest &= 31;
  }
  return `${prefix}_${digits}`;
}
