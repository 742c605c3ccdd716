import { useMemo } from 'react';
import { Link } from 'wouter';
import { Badge } from '../../ui/notice.tsx';
import { formatCount, formatPercent, formatSeconds } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { dayAfter, startOf, today } from '../days.ts';
import { Loaded } from '../frame/loaded.tsx';
import { Section } from '../frame/page-frame.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useHref } from '../location.ts';
import { type Money, useMoney } from '../money.ts';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { VERSION_REPORT } from './documents.ts';
import type { DeploymentData } from './obstacles.ts';
import { PublishedVersion } from './published-version.tsx';

interface Props {
  readonly deployment: DeploymentData;
  readonly canWrite: boolean;
}

const DAYS = 30;

/** The version that runs, and all versions side by side. */
export function VersionsTab({ deployment, canWrite }: Props) {
  return (
    <>
      <PublishedVersion {...{ deployment, canWrite }} />
      <Comparison {...deployment} />
    </>
  );
}

/** What a version did for this deployment. */
interface Row {
  readonly version: number;
  readonly createdAt: string;
  readonly isRunning: boolean;
  /** Undefined: no turns in the period. */
  readonly usage?:
    | {
        readonly turns: number;
        readonly failures: number;
        readonly medianResponseTime: number;
        readonly cost: string | null;
      }
    | undefined;
  readonly ratings?: { readonly up: number; readonly down: number } | undefined;
}

function Comparison({ deploymentId, publishedVersion, workflow }: DeploymentData) {
  const href = useHref();
  const money = useMoney();
  const withRatings = usePermission('conversations:read');
  const tomorrow = startOf(dayAfter(today(), 1));
  const period = { from: startOf(dayAfter(today(), 1 - DAYS)), to: tomorrow };
  const query = useServiceQuery(VERSION_REPORT, { deploymentId, period, withRatings });
  const columns = useMemo(() => columnsOf(money, withRatings), [money, withRatings]);
  return (
    <Section
      title={`Versions, last ${DAYS} days`}
      actions={
        <Link
          to={href(`/workflows/${workflow.workflowId}`, { tab: 'versions' })}
          className="text-accent hover:underline"
        >
          Compare configurations
        </Link>
      }
    >
      <Loaded query={query}>
        {({ usage, ratings }) => (
          <Table
            label="Versions"
            columns={columns}
            rows={workflow.versions.nodes.map(({ number, createdAt }) => ({
              ...{ version: number, createdAt, isRunning: number === publishedVersion },
              usage: usage.find(({ version }) => version === number),
              ratings: ratings?.find(({ version }) => version === number),
            }))}
            keyOf={({ version }) => version}
            empty="No versions yet. Publish the draft to create version 1."
          />
        )}
      </Loaded>
    </Section>
  );
}

const NOTHING = '–';

function columnsOf(money: Money, withRatings: boolean): readonly Column<Row>[] {
  return [
    {
      title: 'Version',
      cell: ({ version, isRunning }) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          {`Version ${version}`}
          {isRunning && <Badge tone="ok">Running</Badge>}
        </span>
      ),
    },
    { title: 'Published', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: 'Turns', numeric: true, cell: ({ usage }) => formatCount(usage?.turns ?? 0) },
    {
      title: 'Failed',
      numeric: true,
      cell: ({ usage }) => (usage ? formatPercent(usage.failures, usage.turns) : NOTHING),
    },
    {
      title: 'Median time',
      numeric: true,
      cell: ({ usage }) => (usage ? formatSeconds(usage.medianResponseTime) : NOTHING),
    },
    {
      title: 'Cost per turn',
      numeric: true,
      cell: ({ usage }) => (usage?.cost ? money.format(Number(usage.cost) / Math.max(1, usage.turns)) : NOTHING),
    },
    ...(withRatings
      ? [
          {
            title: 'Helpful',
            numeric: true,
            cell: ({ ratings }: Row) =>
              ratings
                ? `${formatPercent(ratings.up, ratings.up + ratings.down)} of ${ratings.up + ratings.down}`
                : NOTHING,
          },
        ]
      : []),
  ];
}
