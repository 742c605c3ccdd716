// Maintains the logs of DATABASE_URL again and again, in a process of its own that a test kills. Each round is a month later.
import { openDatabase } from '../../../src/db/database.ts';
import { maintainLogs } from '../../../src/domain/retention/maintain-logs.ts';

const database = await openDatabase({ kind: 'postgresql', url: process.env.DATABASE_URL ?? '', poolSize: 1 });
let month = Number(process.env.MONTH);

const say = (facts: { readonly partitions?: readonly string[] }, message: string) =>
  process.send?.({ message, partitions: facts.partitions ?? [], month });

for (;;) {
  const parts = {
    asOwner: database.asOwner,
    auditLogDays: 1,
    eventLogDays: 7,
    log: { info: say, warn: say, error: say },
  };
  await maintainLogs(parts, undefined, new Date(Date.UTC(2000, month, 15)));
  process.send?.({ month });
  month += 1;
}
