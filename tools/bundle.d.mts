export declare const UNBUNDLED: readonly string[];
