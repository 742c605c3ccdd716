import { dayAfter, daysOf, isDay, startOf, today } from '../days.ts';
import { useFilter } from '../location.ts';

/** The service reports so many at once. */
const MOST_DAYS = 366;

/** The days that the address says, both included; the last 30 where it says none. */
export interface Period {
  readonly first: string;
  readonly last: string;
  /** As the schema takes it: from the first moment until before `to`. Undefined where that is no period. */
  readonly between: { readonly from: string; readonly to: string } | undefined;
  readonly error: string | undefined;
}

export function usePeriod(): Period {
  const [from] = useFilter('from');
  const [to] = useFilter('to');
  const last = isDay(to) ? to : today();
  const first = isDay(from) ? from : dayAfter(last, -29);
  const error = errorOf(first, last);
  return { first, last, error, between: error ? undefined : { from: startOf(first), to: startOf(dayAfter(last, 1)) } };
}

function errorOf(first: string, last: string): string | undefined {
  if (first > last) return 'The first day is after the last one.';
  return daysOf(first, last).length > MOST_DAYS ? `At most ${MOST_DAYS} days are counted at once.` : undefined;
}
