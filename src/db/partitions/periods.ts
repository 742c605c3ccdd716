import { firstTypeIdAt, timeOfTypeId } from '../../contract/ids.ts';

/** The tables whose IDs a sequence issues. */
type NumberedTable = 'audit_entry' | 'workflow_log';

/** A log whose table is partitioned by ranges of IDs. A period of time has a range of its own, so a partition is a period. */
export interface PartitionedLog<Table extends NumberedTable | 'event' = NumberedTable | 'event'> {
  readonly table: Table;
  /** The length of a period, in months. */
  readonly months: 1 | 3;
  /** The tables that foreign keys connect it with, in the order in which requests lock them. */
  readonly related: readonly string[];
  /** Where an ID has its period. */
  readonly ids: PeriodIds;
}

interface PeriodIds {
  /** Whether a sequence issues the IDs. */
  readonly hasSequence: boolean;
  /** The first ID of a period. */
  firstOf(log: PartitionedLog, period: number): string;
  /** The period whose range begins with an ID. */
  periodOf(log: PartitionedLog, firstId: string): number;
}

/** The IDs of a period: 12,700 rows per second for a quarter. IDs stay below 2^53 until the year 9000. */
const IDS = 100_000_000_000n;

/** Numbers of a sequence that a background task moves to the first ID of a period when it begins. */
const NUMBERS: PeriodIds = {
  hasSequence: true,
  firstOf: (_log, period) => String(BigInt(period) * IDS),
  periodOf: (_log, firstId) => Number(BigInt(firstId) / IDS),
};

/** IDs that begin with the time at which a process made them. */
const EVENT_IDS: PeriodIds = {
  hasSequence: false,
  firstOf: (log, period) => firstTypeIdAt('evt', startOf(log, period)),
  periodOf: (log, firstId) => periodAt(log, timeOfTypeId(firstId)),
};

/** The entries of a month are one partition. */
export const AUDIT_LOG: PartitionedLog<NumberedTable> = {
  table: 'audit_entry',
  months: 1,
  related: ['workspace'],
  ids: NUMBERS,
};

/** The lines of a quarter are one partition. Shorter periods would slow down reads that have no range of IDs. */
export const WORKFLOW_LOG: PartitionedLog<NumberedTable> = {
  table: 'workflow_log',
  months: 3,
  related: ['conversation', 'run', 'trigger', 'deployment'],
  ids: NUMBERS,
};

/** The events of a quarter are one partition. Pages and feeds have no range of IDs, so they read every partition. */
export const EVENT_LOG: PartitionedLog<'event'> = {
  table: 'event',
  months: 3,
  related: ['webhook_delivery'],
  ids: EVENT_IDS,
};

/** The year whose first period has the number 0. */
const FIRST_YEAR = 2000;

/** The number of the period that contains `at`, in UTC. */
export function periodAt({ months }: PartitionedLog, at: Date): number {
  return Math.floor(((at.getUTCFullYear() - FIRST_YEAR) * 12 + at.getUTCMonth()) / months);
}

/** When a period begins, and the one before it ends. */
export function startOf({ months }: PartitionedLog, period: number): Date {
  return new Date(Date.UTC(FIRST_YEAR, period * months, 1));
}

/** The first ID of a period. */
export function firstIdOf(log: PartitionedLog, period: number): string {
  return log.ids.firstOf(log, period);
}

/** The name of the partition of a period. It contains the period's first month: `workflow_log_2027_04`. */
export function partitionName(log: PartitionedLog, period: number): string {
  return `${log.table}_${startOf(log, period).toISOString().slice(0, 7).replace('-', '_')}`;
}
