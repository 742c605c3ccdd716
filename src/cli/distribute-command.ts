import type { DistributionReport } from '../db/distribute/distribute.ts';
import { LOCAL_TABLES } from '../db/distribution.ts';
import type { Command, CommandResult } from './command.ts';
import { CommandError, type ParsedOptions } from './options.ts';

const DEFAULT_SHARDS = 32;
const MAX_SHARDS = 1_024;

export const DISTRIBUTE_COMMAND: Command = {
  name: 'distribute',
  summary: 'Distributes the tables over the servers of Citus. Can run again, as after an upgrade.',
  options: {
    shards: {
      value: 'NUMBER',
      help: `the shards of each table, 1 to ${MAX_SHARDS}; default: ${DEFAULT_SHARDS}. An environment is in one shard of each`,
    },
  },
  async run(session, options) {
    return resultOf(await session.distribute(shardsOf(options)));
  },
};

function shardsOf(options: ParsedOptions): number {
  const text = options.text('shards') ?? String(DEFAULT_SHARDS);
  const shards = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (shards < 1 || shards > MAX_SHARDS) throw new CommandError(`--shards must be a number from 1 to ${MAX_SHARDS}.`);
  return shards;
}

function resultOf({ reference, distributed, droppedKeys, droppedIndexes }: DistributionReport): CommandResult {
  const isDone = reference.length + distributed.length === 0;
  const lines = [
    ['Distributed by environment', distributed],
    ['Copied to every server', reference],
    ['Only on the coordinator', LOCAL_TABLES],
    ['Removed foreign keys of tables of the coordinator', droppedKeys],
    ['Removed indexes of the previous release', droppedIndexes],
  ] as const;
  return {
    data: {
      distributed,
      reference,
      local: LOCAL_TABLES,
      dropped_foreign_keys: droppedKeys,
      dropped_indexes: droppedIndexes,
    },
    text: isDone
      ? 'All tables are distributed.'
      : lines
          .filter(([, names]) => names.length > 0)
          .map(([title, names]) => `${title}: ${names.join(', ')}.`)
          .join('\n'),
  };
}
