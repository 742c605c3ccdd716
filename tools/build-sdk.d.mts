export function buildSdk(): Promise<void>;
export function sdkSize(): Promise<number>;
