import { readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second. */
const MS_OF_A_TICK = 10;

/** The CPU time of a process so far, including its ended children, in milliseconds. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The process name in parentheses can contain anything. utime is the 14th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks * MS_OF_A_TICK;
}
