import { type RetentionSettings, readRetention, type SweepReport, setRetention } from '../domain/retention/settings.ts';
import { sweepNow } from '../domain/retention/sweep.ts';
import { type Command, CommandError, ENVIRONMENT_OPTIONS, type Given, type Told } from './command.ts';

const show: Command = {
  name: 'retention show',
  summary: 'Tells how long an environment keeps what was said, and what the last sweep deleted.',
  options: ENVIRONMENT_OPTIONS,
  async run(session, given) {
    const { ctx } = await session.environment(given);
    return told(await readRetention(ctx));
  },
};

const set: Command = {
  name: 'retention set',
  summary: 'Says how long an environment keeps what was said. Whichever process is up sweeps within the minute.',
  options: { days: { value: 'DAYS|forever', help: '1 to 3650, or forever', required: true }, ...ENVIRONMENT_OPTIONS },
  async run(session, given) {
    const days = daysOf(given);
    const { ctx } = await session.environment(given);
    return told(await setRetention(ctx, days));
  },
};

const run: Command = {
  name: 'retention run',
  summary: 'Sweeps an environment now, and tells what was deleted.',
  options: ENVIRONMENT_OPTIONS,
  async run(session, given) {
    const { ctx } = await session.environment(given);
    return told(await sweepNow(ctx));
  },
};

function daysOf(given: Given): number | null {
  const days = given.required('days');
  if (days === 'forever') return null;
  if (!/^\d{1,9}$/.test(days)) throw new CommandError('--days must be a number of days, or forever.');
  return Number(days);
}

function told({ days, lastSweep }: RetentionSettings): Told {
  const kept = days === null ? 'Conversations are kept for ever.' : `Conversations are kept for ${days} days.`;
  return {
    data: { days, last_sweep: lastSweep && reportOf(lastSweep) },
    text: [kept, lastSweep ? sentence(lastSweep) : 'There was no sweep yet.'].join('\n'),
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
    : 'is under way, and has';
  const what = `conversations: ${conversations}, triggers: ${triggers}, lines of the workflow log: ${workflowLogs}`;
  return `The last sweep, of ${startedAt.toISOString()}, ${took} deleted ${what}.`;
}

export const RETENTION_COMMANDS: readonly Command[] = [show, set, run];
