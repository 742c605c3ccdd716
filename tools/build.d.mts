export function freshPages(): Promise<void>;

/** Returns the path of a bundle. Builds the bundles and the pages first if they are missing or older than their source. */
export function freshBundle(name: string): Promise<string>;
