const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const money = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 });
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** 12,345 */
export const formatCount = (count: number): string => whole.format(count);

/** 12.3K */
export const formatShortCount = (count: number): string => compact.format(count);

/** A duration: 250 ms, 2.50 s or 125 s. */
export function formatSeconds(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  return seconds < 10 ? `${seconds.toFixed(2)} s` : `${whole.format(Math.round(seconds))} s`;
}

/** A duration on an axis: 2.5 s. */
export const formatShortSeconds = (seconds: number): string => `${compact.format(seconds)} s`;

/** A cost in the currency of the model prices. A missing price makes the cost unknown, shown as a dash. */
export const formatCost = (cost: string | null): string => (cost === null ? '–' : money.format(Number(cost)));

/** 12.5% */
export const formatPercent = (part: number, all: number): string => share.format(all === 0 ? 0 : part / all);

/** A size: 512 B, 20 kB or 1.5 MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} kB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
