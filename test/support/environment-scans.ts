/** A node of a plan, as `EXPLAIN (FORMAT JSON)` has it. */
export interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Join Filter'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** A condition on the environment alone. */
const ENVIRONMENT_ALONE = /^\(+environment_id = [^ ]+\)$/;

/** The comparison of a key with a value of another row. */
const KEYS = /\b(\w+)\.(?:id|\w+_id) = (\w+)\.(?:id|\w+_id)\b/g;

/**
 * The scans of a plan that read all rows of an environment, and compare their keys with a value of another row only then.
 * @param isSmall whether an index has few of the rows
 */
export function scansOfEnvironments(
  node: PlanNode,
  isSmall: (index: string) => boolean,
  filters: readonly string[] = [],
): string[] {
  const { Alias: alias = '', 'Index Name': index = '', Plans: inner = [] } = node;
  const own = node['Join Filter'] ? [...filters, node['Join Filter']] : filters;
  const filter = own.findLast((one) => [...one.matchAll(KEYS)].some((names) => names.slice(1).includes(alias)));
  const isScan = filter !== undefined && !isSmall(index) && ENVIRONMENT_ALONE.test(node['Index Cond'] ?? '');
  return [
    ...(isScan ? [`${node['Relation Name']} with ${filter}`] : []),
    ...inner.flatMap((plan) => scansOfEnvironments(plan, isSmall, own)),
  ];
}
