/** Names of programs in a user agent. The first match counts, because browsers also name others. */
const PROGRAMS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
  ['curl', 'curl'],
] as const;

const SYSTEMS = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

type Names = readonly (readonly [part: string, name: string])[];

/** A browser and a system in our own words. The client chooses its user agent, so a mail never repeats its text. */
export function deviceOf(userAgent: string | null | undefined): string {
  const find = (names: Names) => names.find(([part]) => userAgent?.includes(part))?.[1];
  return `${find(PROGRAMS) ?? 'an unknown program'} on ${find(SYSTEMS) ?? 'an unknown system'}`;
}
