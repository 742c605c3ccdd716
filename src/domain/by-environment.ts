/** A row that a finder has read, with its environment. */
export interface FoundRow {
  readonly environmentId: string;
  readonly id: string;
}

/** Groups rows by their environment, in the order of the rows. */
function groupByEnvironment<Row extends Pick<FoundRow, 'environmentId'>>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.environmentId);
    if (group) group.push(row);
    else groups.set(row.environmentId, [row]);
  }
  return groups;
}

/**
 * Changes the rows that a finder has read with statements for one environment each. The finder held no lock, so `change`
 * checks each row again. A failure in one environment does not stop the others.
 * @returns the sum of the results
 * @throws the first failure, after the last environment
 */
export async function changeByEnvironment(
  rows: readonly FoundRow[],
  change: (environmentId: string, ids: string[]) => Promise<number>,
  stopped?: AbortSignal,
): Promise<number> {
  let sum = 0;
  const failures: unknown[] = [];
  for (const [environmentId, group] of groupByEnvironment(rows)) {
    if (stopped?.aborted) break;
    try {
      sum += await change(
        environmentId,
        group.map(({ id }) => id),
      );
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return sum;
}
