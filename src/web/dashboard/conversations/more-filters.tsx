import { useFilter } from '../location.ts';
import { usePermission } from '../session/session.ts';
import { FilterSelect, TextFilter } from '../shell/filters.tsx';
import { numberError, TURN_ERRORS } from './use-list-filter.ts';

const ERROR_LABELS: Readonly<Record<(typeof TURN_ERRORS)[number], string>> = {
  model_error: 'Model error',
  model_timeout: 'Model timeout',
  internal_error: 'Internal error',
  unavailable: 'Service unavailable',
};

const ERROR_OPTIONS = TURN_ERRORS.map((code) => [code, ERROR_LABELS[code]] as const);

const DAYS = [
  ['started_from', 'Started from'],
  ['started_to', 'Started until'],
  ['active_from', 'Active from'],
  ['active_to', 'Active until'],
] as const;

const USAGE = [
  ['min_seconds', 'Slowest turn, min. seconds'],
  ['max_seconds', 'Slowest turn, max. seconds'],
  ['min_cost', 'Cost, at least'],
  ['max_cost', 'Cost, at most'],
] as const;

/** The query parameters of these filters. */
export const MORE_NAMES = ['error', 'version', ...[...DAYS, ...USAGE].map(([name]) => name)];

/** The filters that are rarely needed. Days are in UTC. */
export function MoreFilters() {
  const canReadLog = usePermission('workflows:read');
  return (
    <>
      <FilterSelect name="error" label="Error of a turn" options={[['', 'Any'], ...ERROR_OPTIONS]} />
      <NumberFilter name="version" label="Workflow version" />
      {DAYS.map(([name, label]) => (
        <TextFilter key={name} name={name} label={label} type="date" />
      ))}
      {canReadLog && USAGE.map(([name, label]) => <NumberFilter key={name} name={name} label={label} />)}
    </>
  );
}

function NumberFilter({ name, label }: { readonly name: string; readonly label: string }) {
  const [value] = useFilter(name);
  return <TextFilter name={name} label={label} inputMode="decimal" error={numberError(value)} />;
}
