import { useSearchParams } from 'wouter';
import { FilterSelect, type RareFilter, TextFilter } from '../frame/filters.tsx';
import { ERROR_LABELS } from '../frame/run-badge.tsx';
import { useFilter } from '../location.ts';
import { useMoney } from '../money.ts';
import { usePermission } from '../session/session.ts';
import { labelNames, MetaFilter } from './meta-filter.tsx';
import { numberError, TURN_ERRORS } from './use-list-filter.ts';

const RATINGS = [
  ['', 'All'],
  ['up', 'Helpful'],
  ['down', 'Not helpful'],
] as const;

const ERROR_OPTIONS = TURN_ERRORS.map((code) => [code, ERROR_LABELS[code]] as const);

/** A filter of one query parameter. */
const one = (label: string, name: string, field: RareFilter['field']): RareFilter => ({ label, names: [name], field });

const day = (label: string, name: string) => one(label, name, <TextFilter {...{ name, label }} type="date" />);

const number = (label: string, name: string) => one(label, name, <NumberFilter {...{ name, label }} />);

function NumberFilter({ name, label }: { readonly name: string; readonly label: string }) {
  const [value] = useFilter(name);
  return <TextFilter name={name} label={label} inputMode="decimal" error={numberError(value)} />;
}

const COMMON: readonly RareFilter[] = [
  one('Rating', 'rating', <FilterSelect name="rating" label="Rating" options={RATINGS} />),
  one('End user', 'end_user', <TextFilter name="end_user" label="End user" />),
  one(
    'Error of a turn',
    'error',
    <FilterSelect name="error" label="Error of a turn" options={[['', 'Any'], ...ERROR_OPTIONS]} />,
  ),
  number('Workflow version', 'version'),
  day('Started from', 'started_from'),
  day('Started until', 'started_to'),
  day('Active from', 'active_from'),
  day('Active until', 'active_to'),
];

const usage = (currency: string): readonly RareFilter[] => [
  number('Slowest turn, min. seconds', 'min_seconds'),
  number('Slowest turn, max. seconds', 'max_seconds'),
  number(`Cost, min. ${currency}`, 'min_cost'),
  number(`Cost, max. ${currency}`, 'max_cost'),
];

/** The filters that "Add filter" offers. Days are in UTC. Those of the workflow log need its scope. */
export function useRareFilters(): readonly RareFilter[] {
  const [params] = useSearchParams();
  const canReadLog = usePermission('workflows:read');
  const { currency } = useMoney();
  const labels = { label: 'Label', names: labelNames(params), field: <MetaFilter /> };
  return [labels, ...COMMON, ...(canReadLog ? usage(currency) : [])];
}
