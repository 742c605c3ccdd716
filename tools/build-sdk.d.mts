export function buildSdk(): Promise<void>;
export function sdkSize(): Promise<number>;
/** The most bytes that `sdkSize` may return. */
export const MOST_BYTES: number;
