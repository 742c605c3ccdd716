/** A UUID in its canonical, lower-case text form. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A record's public id: its kind's prefix and a lower-case Crockford UUIDv7 (TypeID). */
export type TypeId<Prefix extends string> = `${Prefix}_${string}`;

/** 128 bits in digits of five: 26 of them, the first below 8. */
const TYPE_ID_DIGITS = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Whether a text is an id of this kind: any other names nothing. */
export function isTypeId<Prefix extends string>(prefix: Prefix, text: string): text is TypeId<Prefix> {
  return text.startsWith(`${prefix}_`) && TYPE_ID_DIGITS.test(text.slice(prefix.length + 1));
}

/** Digits of a history item's id: enough for every safe integer, so that ids sort as strings. */
const ITEM_DIGITS = 16;

/** The timeline's string id of a stored item: `item_0000000000000042` (WIRE 5). */
export function historyItemId(id: number | bigint): string {
  return `item_${String(id).padStart(ITEM_DIGITS, '0')}`;
}
