import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { dayAfter, today } from '../days.ts';
import { DeploymentFilter, useDeployments } from '../deployment-names/deployment-names.tsx';
import { useFilter, useSetFilters } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { Filters, isUuid } from '../shell/filters.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame, Section } from '../shell/page-frame.tsx';
import { USAGE } from './documents.ts';
import { GroupChoice, useGroups } from './groups.tsx';
import { Logs } from './logs.tsx';
import { type Period, usePeriod } from './period.ts';
import { Prices } from './prices.tsx';
import { Report } from './report.tsx';

export function Page() {
  const period = usePeriod();
  const deployments = useDeployments();
  return (
    <PageFrame
      title="Usage and cost"
      lead="Turns and one-shot runs of this environment. Days are in UTC."
      actions={<Presets />}
    >
      <Filters>
        <PeriodFilter period={period} />
        <DeploymentFilter deployments={deployments} />
        <GroupChoice />
      </Filters>
      {period.between && <ReportSection period={period} between={period.between} />}
      <Prices />
      <Logs between={period.between} />
    </PageFrame>
  );
}

const PRESETS = [7, 30, 90] as const;

/** Buttons for periods that end today. */
function Presets() {
  const set = useSetFilters();
  const now = today();
  return PRESETS.map((days) => (
    <Button key={days} small onClick={() => set({ from: dayAfter(now, 1 - days), to: now })}>
      {days} days
    </Button>
  ));
}

function PeriodFilter({ period: { first, last, error } }: { readonly period: Period }) {
  const set = useSetFilters();
  return (
    <>
      <TextField
        label="First day"
        type="date"
        max={today()}
        value={first}
        error={error}
        onChange={(event) => event.target.value && set({ from: event.target.value })}
      />
      <TextField
        label="Last day"
        type="date"
        max={today()}
        value={last}
        onChange={(event) => event.target.value && set({ to: event.target.value })}
      />
    </>
  );
}

interface ReportSectionProps {
  readonly period: Period;
  readonly between: NonNullable<Period['between']>;
}

function ReportSection({ period, between }: ReportSectionProps) {
  const [selected] = useFilter('deployment');
  const deployments = useDeployments();
  const groups = useGroups();
  const deploymentId = isUuid(selected) ? selected : null;
  const query = useServiceQuery(USAGE, { period: between, groupBy: [...groups], filter: { deploymentId } });
  return (
    <Loaded query={query} skeleton={<Skeleton rows={18} />}>
      {(usage) =>
        usage.total[0]?.turns ? (
          <Report {...{ usage, period, groups, deployments }} />
        ) : (
          <Section title="Usage">
            <p className="text-muted">No turns in this period. Select another period, or start a conversation.</p>
          </Section>
        )
      }
    </Loaded>
  );
}
