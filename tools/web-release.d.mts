export function publishPages(built: string, served: string, previous?: string): void;
