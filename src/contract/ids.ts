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

/** The digits of a TypeID, in ascending order. */
export const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

/** The digits of the time, in milliseconds: two bits that are zero, and 48 bits. */
const TIME_DIGITS = 10;

/** The beginning of the IDs that are made from `at` on: it sorts before them, and after all earlier ones. */
export function firstTypeIdAt<Prefix extends string>(prefix: Prefix, at: Date): TypeId<Prefix> {
  let digits = '';
  for (let rest = at.getTime(); digits.length < TIME_DIGITS; rest = Math.floor(rest / 32))
    digits = CROCKFORD.charAt(rest % 32) + digits;
  return `${prefix}_${digits}`;
}

/** When an ID was made, by the clock of its process. Also for the beginning of an ID. */
export function timeOfTypeId(id: string): Date {
  const start = id.indexOf('_') + 1;
  const digits = [...id.slice(start, start + TIME_DIGITS)];
  return new Date(digits.reduce((time, digit) => time * 32 + CROCKFORD.indexOf(digit), 0));
}

/** Enough digits for every safe integer, so that IDs sort as strings. */
const ITEM_DIGITS = 16;

/** The string ID of a timeline item: `item_0000000000000042`. */
export function historyItemId(id: number | bigint): string {
  return `item_${String(id).padStart(ITEM_DIGITS, '0')}`;
}

/** The number of a timeline item: `item_0000000000000042` → `42`. A number stays as it is. */
export function numberOfItem(id: number | string): number {
  return Number(String(id).replace(/^item_/, ''));
}
