import type { ResultOf } from 'gql.tada';
import { nameOf, type useDeployments } from '../deployment-names/deployment-names.tsx';
import { costOf, countOf, secondsOf } from '../numbers.ts';
import type { USAGE } from './documents.ts';
import type { Group } from './groups.tsx';

export type Usage = ResultOf<typeof USAGE>;
export type Row = Usage['rows'][number];
export type Deployments = ReturnType<typeof useDeployments>;

/** A column of the report, on the page and in the file. */
export interface Measure {
  readonly title: string;
  readonly field: string;
  readonly shown: (row: Omit<Row, 'day' | 'deploymentId' | 'model'>) => string;
  readonly written: (row: Row) => string | number | null;
}

export const MEASURES: readonly Measure[] = [
  { title: 'Turns', field: 'turns', shown: (row) => countOf(row.turns), written: (row) => row.turns },
  { title: 'Failed', field: 'failures', shown: (row) => countOf(row.failures), written: (row) => row.failures },
  {
    title: 'Tokens in',
    field: 'input_tokens',
    shown: (row) => countOf(row.inputTokens),
    written: (row) => row.inputTokens,
  },
  {
    title: 'Tokens out',
    field: 'output_tokens',
    shown: (row) => countOf(row.outputTokens),
    written: (row) => row.outputTokens,
  },
  {
    title: 'Median',
    field: 'median_response_time',
    shown: (row) => secondsOf(row.medianResponseTime),
    written: (row) => row.medianResponseTime,
  },
  {
    title: '95 %',
    field: 'p95_response_time',
    shown: (row) => secondsOf(row.p95ResponseTime),
    written: (row) => row.p95ResponseTime,
  },
  {
    title: '99 %',
    field: 'p99_response_time',
    shown: (row) => secondsOf(row.p99ResponseTime),
    written: (row) => row.p99ResponseTime,
  },
  // The file has the number as it was counted, to its last digit.
  { title: 'Cost', field: 'cost', shown: (row) => costOf(row.cost), written: (row) => row.cost },
];

/** What the groups are called. */
export const TITLES: Readonly<Record<Group, string>> = { day: 'Day', deployment: 'Deployment', model: 'Model' };

/** Which group a row is of. */
export function groupCell(row: Row, group: Group, deployments: Deployments): string {
  if (group === 'day') return row.day ?? '';
  if (group === 'model') return row.model ?? '';
  return row.deploymentId ? nameOf(deployments, row.deploymentId) : 'Tests of drafts';
}

interface Told {
  readonly usage: Usage;
  readonly groups: readonly Group[];
  readonly deployments: Deployments;
}

/** What the file holds: the rows, under names that a program reads; their sum is the reader's to make. */
export function fileRows({ usage, groups, deployments }: Told): (string | number | null)[][] {
  const names = groups.flatMap((group) => (group === 'deployment' ? ['deployment_id', 'deployment'] : [group]));
  const cells = (row: Row) =>
    groups.flatMap((group) => [
      ...(group === 'deployment' ? [row.deploymentId] : []),
      groupCell(row, group, deployments),
    ]);
  return [
    [...names, ...MEASURES.map(({ field }) => field)],
    ...usage.rows.map((row) => [...cells(row), ...MEASURES.map(({ written }) => written(row))]),
  ];
}
