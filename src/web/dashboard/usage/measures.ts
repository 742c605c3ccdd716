import type { ResultOf } from 'gql.tada';
import { enumValueOf } from '../../../contract/enum-names.ts';
import { formatCount, formatPercent, formatSeconds } from '../../ui/numbers.ts';
import { nameOf, type useDeployments } from '../deployment-names/deployment-names.tsx';
import type { Money } from '../money.ts';
import type { USAGE } from './documents.ts';
import type { Group } from './groups.tsx';

export type Usage = ResultOf<typeof USAGE>;
export type Row = Usage['rows'][number];
export type Deployments = ReturnType<typeof useDeployments>;

/** A column of the report, on the page and in the CSV file. */
export interface Measure {
  readonly title: string;
  readonly field: string;
  readonly format: (
    row: Omit<Row, 'day' | 'deploymentId' | 'workflowId' | 'version' | 'model' | 'endUser'>,
    money: Money,
  ) => string;
  /** The value in the CSV file. */
  readonly csv: (row: Row) => string | number | null;
}

export const MEASURES: readonly Measure[] = [
  { title: 'Turns', field: 'turns', format: (row) => formatCount(row.turns), csv: (row) => row.turns },
  { title: 'Failed', field: 'failures', format: (row) => formatCount(row.failures), csv: (row) => row.failures },
  {
    title: 'Input tokens',
    field: 'input_tokens',
    format: (row) => formatCount(row.inputTokens),
    csv: (row) => row.inputTokens,
  },
  {
    title: 'Cached tokens',
    field: 'cached_input_tokens',
    format: (row) => formatCount(row.cachedInputTokens),
    csv: (row) => row.cachedInputTokens,
  },
  {
    title: 'Output tokens',
    field: 'output_tokens',
    format: (row) => formatCount(row.outputTokens),
    csv: (row) => row.outputTokens,
  },
  {
    title: 'Median',
    field: 'median_response_time',
    format: (row) => formatSeconds(row.medianResponseTime),
    csv: (row) => row.medianResponseTime,
  },
  {
    title: 'p95',
    field: 'p95_response_time',
    format: (row) => formatSeconds(row.p95ResponseTime),
    csv: (row) => row.p95ResponseTime,
  },
  {
    title: 'p99',
    field: 'p99_response_time',
    format: (row) => formatSeconds(row.p99ResponseTime),
    csv: (row) => row.p99ResponseTime,
  },
  // The CSV file contains the exact number.
  { title: 'Cost', field: 'cost', format: (row, money) => money.format(row.cost), csv: (row) => row.cost },
  {
    title: 'Saved by caching',
    field: 'cache_savings',
    format: ({ cacheSavings }) => (cacheSavings === null ? '–' : formatPercent(cacheSavings, 1)),
    csv: (row) => row.cacheSavings,
  },
];

/** The value of a group in a row. */
export function groupCell(row: Row, group: Group, deployments: Deployments): string {
  if (group === 'DAY') return row.day ?? '';
  if (group === 'MODEL') return row.model ?? '';
  if (group === 'VERSION')
    return `Workflow ${row.workflowId}, ${row.version === null ? 'draft' : `version ${row.version}`}`;
  if (group === 'END_USER') return row.endUser ?? 'No end user';
  return row.deploymentId ? nameOf(deployments, row.deploymentId) : 'Draft tests';
}

interface Report {
  readonly currency: string;
  readonly usage: Usage;
  readonly groups: readonly Group[];
  readonly deployments: Deployments;
}

/** The rows of the CSV file, with column names for programs. It has no total row. */
export function csvRows({ currency, usage, groups, deployments }: Report): (string | number | null)[][] {
  const names = groups.flatMap((group) =>
    group === 'DEPLOYMENT' ? ['deployment_id', 'deployment'] : [enumValueOf(group)],
  );
  const cells = (row: Row) =>
    groups.flatMap((group) => [
      ...(group === 'DEPLOYMENT' ? [row.deploymentId] : []),
      groupCell(row, group, deployments),
    ]);
  return [
    [...names, ...MEASURES.map(({ field }) => field), 'currency'],
    ...usage.rows.map((row) => [...cells(row), ...MEASURES.map(({ csv }) => csv(row)), currency]),
  ];
}
