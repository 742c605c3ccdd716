export function bundle(): Promise<void>;
export function freshPages(): Promise<void>;

/** The path of a bundle; it and the pages are made anew where they are missing or older than their source. */
export function freshBundle(name: string): Promise<string>;
