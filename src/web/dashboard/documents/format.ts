import { formatSeconds } from '../../ui/numbers.ts';

/** The operations of documents in words. */
export const KINDS = { QUERY: 'Query', MUTATION: 'Mutation' } as const;

/** A response time: 12 ms, 2.50 s, or a dash without calls. */
export const formatMs = (ms: number | null): string => (ms === null ? '–' : formatSeconds(ms / 1_000));
