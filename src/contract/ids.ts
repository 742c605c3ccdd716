/** A UUID in its canonical, lower-case text form. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A record's public ID (TypeID): a prefix for its kind and a UUIDv7 in lower-case Crockford base32. */
export type TypeId<Prefix extends string> = `${Prefix}_${string}`;

/** 128 bits in base32: 26 digits, of which the first is below 8. */
const TYPE_ID_DIGITS = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Whether the text is a well-formed ID of this kind. Others cannot exist in the database. */
export function isTypeId<Prefix extends string>(prefix: Prefix, text: string): text is TypeId<Prefix> {
  return text.startsWith(`${prefix}_`) && TYPE_ID_DIGITS.test(text.slice(prefix.length + 1));
}

/** Enough digits for every safe integer, so that IDs sort as strings. */
const ITEM_DIGITS = 16;

/** The string ID of a timeline item: `item_0000000000000042` (WIRE 5). */
export function historyItemId(id: number | bigint): string {
  return `item_${String(id).padStart(ITEM_DIGITS, '0')}`;
}
