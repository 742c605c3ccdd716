import { RATE_LIMITS } from '../../src/domain/access/rate-limits.ts';

/** What the tool measures of one kind of request, from one address. */
export type Measure = 'cpuSeconds' | 'memoryMb' | 'diskMb' | 'mails' | 'modelCalls' | 'delayMs';

interface Bound {
  readonly title: string;
  readonly digits: number;
  readonly limit: number;
  readonly because: string;
}

/** The highest value of each number that one address can cause. A kind that needs more has a row in `EXCEPTIONS`. */
export const BOUNDS: Readonly<Record<Measure, Bound>> = {
  cpuSeconds: {
    title: 'CPU s per minute',
    digits: 1,
    limit: 15,
    because: 'A quarter of one core: 100 rejected requests per second of 2.5 ms each.',
  },
  memoryMb: {
    title: 'memory MB',
    digits: 0,
    limit: 150,
    because: 'Three such addresses fit the memory limit of the Helm chart, 1 GiB, next to the process under load.',
  },
  diskMb: {
    title: 'disk MB',
    digits: 1,
    limit: 5,
    because: 'A request that stores nothing for its caller adds lines of logs at most. The database grows by pages.',
  },
  mails: {
    title: 'mails',
    digits: 0,
    limit: 10,
    because: 'One address can request ten links per quarter of an hour.',
  },
  modelCalls: {
    title: 'model calls',
    digits: 0,
    limit: 0,
    because: 'A request that runs no turn never reaches a model.',
  },
  delayMs: {
    title: 'longest delay ms',
    digits: 0,
    limit: 250,
    because: 'All callers of the process wait while its event loop is busy. People notice a quarter of a second.',
  },
};

/** The highest p95 of the other caller during the attack. */
export const OTHER_CALLER = {
  factor: 2,
  /** Latencies of a few milliseconds double because of the machine alone. */
  allowanceMs: 40,
} as const;

type Exceptions = Readonly<Partial<Record<Measure, Pick<Bound, 'limit' | 'because'>>>>;

const { anonymousStarts, anonymousWrites } = RATE_LIMITS;

const TURNS: Exceptions = {
  modelCalls: {
    limit: anonymousStarts.points + anonymousWrites.points,
    because: `${anonymousStarts.points} starts and ${anonymousWrites.points} further turns are more than the people who share an address send.`,
  },
};

/** Kinds whose requests are allowed to cost more, by name. */
export const EXCEPTIONS: Readonly<Record<string, Exceptions>> = {
  'expensive-queries': {
    cpuSeconds: { limit: 30, because: 'A tenant with a key can use half a core until an operator sets a limit.' },
  },
  'anonymous-turns': {
    ...TURNS,
    diskMb: { limit: 25, because: 'A turn stores its message, up to 200,000 characters, and its words for search.' },
  },
  'inline-files': {
    ...TURNS,
    diskMb: { limit: 100, because: 'Inline parts count against the space of files that one address can use.' },
  },
  'background-turns': TURNS,
  'one-shot-runs': TURNS,
  'chat-streams': TURNS,
  'held-feeds': { modelCalls: { limit: 1, because: 'The attack needs a conversation, which has one turn.' } },
  'held-subscriptions': { modelCalls: { limit: 1, because: 'The attack needs a conversation, which has one turn.' } },
  'read-conversations': {
    modelCalls: { limit: 40, because: 'The attack fills one conversation before it reads it.' },
  },
  'restarted-uploads': {
    diskMb: { limit: 25, because: 'One upload of 10 MiB, and the bytes that arrive while it starts again.' },
  },
  'broken-uploads': {
    diskMb: { limit: 25, because: 'One upload of 10 MiB, and the bytes that arrive while it starts again.' },
  },
};

/** The bound of a kind. */
export function boundOf(kind: string, measure: Measure): Pick<Bound, 'limit' | 'because'> {
  return EXCEPTIONS[kind]?.[measure] ?? BOUNDS[measure];
}
