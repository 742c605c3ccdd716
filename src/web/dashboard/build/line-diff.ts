/** A line of a text, and whether it was there before, is there now, or both. */
export interface DiffLine {
  readonly text: string;
  readonly kind: 'kept' | 'removed' | 'added';
}

/** More than this is too much to compare line by line. */
const MOST_CELLS = 1_000_000;

/** What leads from one text to another, line by line: the longest lines in common stay. Undefined where it is too long. */
export function lineDiff(before: string, after: string): DiffLine[] | undefined {
  const [old, now] = [before.split('\n'), after.split('\n')];
  if (old.length * now.length > MOST_CELLS) return undefined;
  const common = commonLengths(old, now);
  const lines: DiffLine[] = [];
  let [one, other] = [0, 0];
  while (one < old.length || other < now.length) {
    const [left, right] = [old[one], now[other]];
    if (left !== undefined && left === right) {
      lines.push({ text: left, kind: 'kept' });
      one += 1;
      other += 1;
    } else if (
      left !== undefined &&
      (right === undefined || at(common, one + 1, other) >= at(common, one, other + 1))
    ) {
      lines.push({ text: left, kind: 'removed' });
      one += 1;
    } else {
      lines.push({ text: right ?? '', kind: 'added' });
      other += 1;
    }
  }
  return lines;
}

const at = (table: readonly Uint32Array[], row: number, column: number): number => table[row]?.[column] ?? 0;

/** How many lines both have in common from each pair of places on. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let row = old.length - 1; row >= 0; row -= 1) {
    const line = table[row];
    if (!line) continue;
    for (let column = now.length - 1; column >= 0; column -= 1) {
      line[column] =
        old[row] === now[column]
          ? at(table, row + 1, column + 1) + 1
          : Math.max(at(table, row + 1, column), at(table, row, column + 1));
    }
  }
  return table;
}
