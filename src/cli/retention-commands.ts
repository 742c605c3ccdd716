import { type RetentionSettings, readRetention, type SweepReport, setRetention } from '../domain/retention/settings.ts';
import { sweepNow } from '../domain/retention/sweep.ts';
import type { Command, CommandResult } from './command.ts';
import { CommandError, ENVIRONMENT_OPTIONS, type ParsedOptions } from './options.ts';

const show: Command = {
  name: 'retention show',
  summary: 'Shows how long an environment keeps conversations, and what the last sweep deleted.',
  options: ENVIRONMENT_OPTIONS,
  async run(session, options) {
    const { ctx } = await session.environment(options);
    return resultOf(await readRetention(ctx));
  },
};

const set: Command = {
  name: 'retention set',
  summary: 'Sets how long an environment keeps conversations. A running service sweeps within a minute.',
  options: {
    days: { value: 'DAYS|forever', help: '1 to 3650, or forever', required: true },
    'trace-days': { value: 'DAYS', help: 'also sets how long traces are kept: 0 to 365' },
    ...ENVIRONMENT_OPTIONS,
  },
  async run(session, options) {
    const days = daysOf(options);
    const traceDays = traceDaysOf(options);
    const { ctx } = await session.environment(options);
    return resultOf(await setRetention(ctx, { days, traceDays }));
  },
};

const run: Command = {
  name: 'retention run',
  summary: 'Sweeps an environment now, and shows what was deleted.',
  options: ENVIRONMENT_OPTIONS,
  async run(session, options) {
    const { ctx } = await session.environment(options);
    return resultOf(await sweepNow(ctx));
  },
};

function daysOf(options: ParsedOptions): number | null {
  const days = options.required('days');
  if (days === 'forever') return null;
  if (!/^\d{1,9}$/.test(days)) throw new CommandError('--days must be a number of days, or forever.');
  return Number(days);
}

function traceDaysOf(options: ParsedOptions): number | undefined {
  const days = options.text('trace-days');
  if (days === undefined) return undefined;
  if (!/^\d{1,9}$/.test(days)) throw new CommandError('--trace-days must be a number of days.');
  return Number(days);
}

function resultOf({ days, traceDays, lastSweep }: RetentionSettings): CommandResult {
  const setting =
    days === null ? 'Conversations are kept without a time limit.' : `Conversations are kept for ${days} days.`;
  return {
    data: { days, trace_days: traceDays, last_sweep: lastSweep && reportOf(lastSweep) },
    text: [
      setting,
      `Traces are kept for ${traceDays} days.`,
      lastSweep ? sentence(lastSweep) : 'No sweep has run yet.',
    ].join('\n'),
  };
}

function reportOf({ startedAt, finishedAt, days, conversations, triggers, workflowLogs }: SweepReport): object {
  return {
    started_at: startedAt,
    finished_at: finishedAt,
    days,
    conversations,
    triggers,
    workflow_logs: workflowLogs,
  };
}

function sentence({ startedAt, finishedAt, conversations, triggers, workflowLogs }: SweepReport): string {
  const took = finishedAt
    ? `took ${(finishedAt.getTime() - startedAt.getTime()) / 1_000} s and`
    : 'is still running and has';
  const counts = `conversations: ${conversations}, triggers: ${triggers}, workflow log lines: ${workflowLogs}`;
  return `The last sweep, started at ${startedAt.toISOString()}, ${took} deleted ${counts}.`;
}

export const RETENTION_COMMANDS: readonly Command[] = [show, set, run];
