import { formats, texts } from '../texts/current.ts';

const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** 12,345 */
export const formatCount = (count: number): string => whole.format(count);

/** 1 turn, 12,345 turns */
export const countOf = (count: number, noun: string): string =>
  `${whole.format(count)} ${noun}${count === 1 ? '' : 's'}`;

/** 12.3K */
export const formatShortCount = (count: number): string => compact.format(count);

/** A duration: 250 ms, 2.50 s or 125 s. */
export function formatSeconds(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  return seconds < 10 ? `${seconds.toFixed(2)} s` : `${whole.format(Math.round(seconds))} s`;
}

const axis = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** A duration on an axis. The largest value decides on the unit of all of them: 250 ms, 2.5 s or 5 min. */
export function formatAxisSeconds(seconds: number, largest: number): string {
  if (largest < 1) return `${axis.format(seconds * 1_000)} ms`;
  return largest < 120 ? `${axis.format(seconds)} s` : `${axis.format(seconds / 60)} min`;
}

const money = (currency: string, digits: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat('en', { style: 'currency', currency, minimumFractionDigits: 2, ...digits });

/** Smaller amounts are not worth their digits. */
const LEAST_COST = 0.0001;

/** An amount: $1,234.50, $0.1341 or <$0.0001. A missing price makes a cost unknown, shown as a dash. */
export function formatCost(amount: string | number | null, currency: string): string {
  if (amount === null) return '–';
  const value = Number(amount);
  if (value > 0 && value < LEAST_COST) return `<${formatExactCost(LEAST_COST, currency)}`;
  return formatExactCost(value, currency);
}

/** An amount with all of its digits that matter, like $0.0000123: for prices and axes. */
export function formatExactCost(value: number, currency: string): string {
  if (value >= 1 || value === 0) return money(currency, { maximumFractionDigits: 2 }).format(value);
  if (value >= 0.001) return money(currency, isWholeCents(value) ? {} : { minimumFractionDigits: 4 }).format(value);
  return money(currency, { maximumSignificantDigits: 3 }).format(value);
}

const isWholeCents = (value: number) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-9;

/** 12.5% */
export const formatPercent = (part: number, all: number): string => share.format(all === 0 ? 0 : part / all);

/** A size in the language of the page: 512 B, 20 kB or 1.5 MB. */
export function formatBytes(bytes: number): string {
  const { byte, kilobyte, megabyte } = texts().ui;
  if (bytes < 1024) return `${Math.round(bytes)} ${byte}`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} ${kilobyte}`;
  return `${formats().decimal.format(bytes / 1024 / 1024)} ${megabyte}`;
}
