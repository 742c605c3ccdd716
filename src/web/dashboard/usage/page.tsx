import { LIMITS } from '../../../contract/limits.ts';
import { TextField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Budgets } from '../budgets/budgets.tsx';
import { dayAfter, today } from '../days.ts';
import { DeploymentFilter, useDeployments } from '../deployment-names/deployment-names.tsx';
import { Choice } from '../frame/choice.tsx';
import { Filters, isUuid, TextFilter } from '../frame/filters.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame, Section } from '../frame/page-frame.tsx';
import { useEnvironment, useFilter, useSetFilters } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { USAGE } from './documents.ts';
import { Forecast } from './forecast.tsx';
import { GroupChoice, useGroups } from './groups.tsx';
import { Logs } from './logs.tsx';
import { type Period, usePeriod } from './period.ts';
import { Prices } from './prices.tsx';
import { Report } from './report.tsx';

export function Page() {
  const environment = useEnvironment();
  const period = usePeriod();
  const deployments = useDeployments();
  return (
    <PageFrame
      title="Usage and cost"
      lead="Turns and one-shot runs of this environment. Days are in UTC."
      actions={<Presets period={period} />}
    >
      <Filters>
        <PeriodFilter period={period} />
        <DeploymentFilter deployments={deployments} />
        <TextFilter
          name="end_user"
          label="End user"
          placeholder="Your ID of the user"
          maxLength={LIMITS.endUserLength}
        />
        <GroupChoice />
      </Filters>
      {period.between && <ReportSection period={period} between={period.between} />}
      <Budgets
        title="Budgets"
        place={{}}
        name={`the ${environment} environment`}
        empty={`The ${environment} environment as a whole has no budget.`}
      />
      <Section title="Forecast">
        <Forecast />
      </Section>
      <Prices />
      <Logs between={period.between} />
    </PageFrame>
  );
}

const PRESETS = [7, 30, 90] as const;

/** Periods that end today. The choice is empty for another period. */
function Presets({ period: { first, last } }: { readonly period: Period }) {
  const set = useSetFilters();
  const now = today();
  const start = (days: number) => dayAfter(now, 1 - days);
  const current = PRESETS.find((days) => last === now && first === start(days));
  return (
    <Choice
      label="Period"
      value={current && String(current)}
      options={PRESETS.map((days) => [String(days), `${days} days`])}
      onChange={(days) => set({ from: start(Number(days)), to: now })}
    />
  );
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
  const [endUser] = useFilter('end_user');
  const deployments = useDeployments();
  const groups = useGroups();
  const deploymentId = isUuid(selected) ? selected : null;
  const query = useServiceQuery(USAGE, {
    period: between,
    groupBy: [...groups],
    filter: { deploymentId, endUser: endUser || null },
  });
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
