export function bundle(): Promise<void>;
export function freshPages(): Promise<void>;
