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

/** How many environments change at the same time. Each change waits for its commit, and commits share a flush of the WAL. */
const AT_ONCE = 4;

/** Runs `change` for each environment, some at the same time. It handles its own errors. */
export async function forEachEnvironment<Work>(
  environments: readonly Work[],
  change: (environment: Work) => Promise<void>,
): Promise<void> {
  const left = environments.values();
  const worker = async () => {
    for (const environment of left) await change(environment);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
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
  await forEachEnvironment([...groupByEnvironment(rows)], async ([environmentId, group]) => {
    if (stopped?.aborted) return;
    try {
      const ids = group.map(({ id }) => id);
      // Other environments change `sum` while this one waits.
      const changed = await change(environmentId, ids);
      sum += changed;
    } catch (error) {
      failures.push(error);
    }
  });
  if (failures.length > 0) throw failures[0];
  return sum;
}
