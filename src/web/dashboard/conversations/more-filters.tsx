import { FilterSelect, TextFilter } from '../frame/filters.tsx';
import { ERROR_LABELS } from '../frame/run-badge.tsx';
import { useFilter } from '../location.ts';
import { useMoney } from '../money.ts';
import { usePermission } from '../session/session.ts';
import { numberError, TURN_ERRORS } from './use-list-filter.ts';

const ERROR_OPTIONS = TURN_ERRORS.map((code) => [code, ERROR_LABELS[code]] as const);

const DAYS = [
  ['started_from', 'Started from'],
  ['started_to', 'Started until'],
  ['active_from', 'Active from'],
  ['active_to', 'Active until'],
] as const;

const USAGE = [
  ['min_seconds', () => 'Slowest turn, min. seconds'],
  ['max_seconds', () => 'Slowest turn, max. seconds'],
  ['min_cost', (currency: string) => `Cost, min. ${currency}`],
  ['max_cost', (currency: string) => `Cost, max. ${currency}`],
] as const;

/** The query parameters of these filters. */
export const MORE_NAMES = ['end_user', 'error', 'version', ...[...DAYS, ...USAGE].map(([name]) => name)];

/** The filters that are rarely needed. Days are in UTC. */
export function MoreFilters() {
  const canReadLog = usePermission('workflows:read');
  const { currency } = useMoney();
  return (
    <>
      <TextFilter name="end_user" label="End user" />
      <FilterSelect name="error" label="Error of a turn" options={[['', 'Any'], ...ERROR_OPTIONS]} />
      <NumberFilter name="version" label="Workflow version" />
      {DAYS.map(([name, label]) => (
        <TextFilter key={name} name={name} label={label} type="date" />
      ))}
      {canReadLog && USAGE.map(([name, label]) => <NumberFilter key={name} name={name} label={label(currency)} />)}
    </>
  );
}

function NumberFilter({ name, label }: { readonly name: string; readonly label: string }) {
  const [value] = useFilter(name);
  return <TextFilter name={name} label={label} inputMode="decimal" error={numberError(value)} />;
}
