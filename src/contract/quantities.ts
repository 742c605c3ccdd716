/** A count with thousands separators: `200,000`. Not with `Intl`: its first use takes 15 ms of a start. */
export function formatCount(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

const UNITS = [
  { name: 'MiB', bytes: 1024 * 1024 },
  { name: 'KiB', bytes: 1024 },
] as const;

/** A size in the largest unit that divides it: `8 MiB`, `256 KiB`, `300 bytes`. */
export function formatBytes(bytes: number): string {
  const unit = UNITS.find((candidate) => bytes % candidate.bytes === 0);
  return unit ? `${bytes / unit.bytes} ${unit.name}` : `${formatCount(bytes)} bytes`;
}
