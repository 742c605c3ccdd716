/** What callers without credentials can do per minute: reads, starts, and changes by IP address, turns by conversation. */
export const ANONYMOUS_PER_MINUTE = { reads: 1_200, starts: 60, writes: 120, turns: 30 } as const;
