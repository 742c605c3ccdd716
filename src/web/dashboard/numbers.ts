const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const money = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 });

/** A count in full. */
export const countOf = (count: number): string => whole.format(count);

/** A count where there is little room. */
export const shortCountOf = (count: number): string => compact.format(count);

/** A time that something took. */
export function secondsOf(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  return seconds < 10 ? `${seconds.toFixed(2)} s` : `${whole.format(Math.round(seconds))} s`;
}

/** A time where there is little room. */
export const shortSecondsOf = (seconds: number): string => `${compact.format(seconds)} s`;

/** A cost as the service counts it, in the currency of the prices; a dash where a price is missing. */
export const costOf = (cost: string | null): string => (cost === null ? '–' : money.format(Number(cost)));

/** A share of a whole. */
export const percentOf = (part: number, all: number): string =>
  all === 0 ? '0 %' : `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format((part / all) * 100)} %`;
