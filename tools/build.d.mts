export function bundle(): Promise<void>;
export function freshBundle(name: string): Promise<string>;
export function freshPages(): Promise<void>;
