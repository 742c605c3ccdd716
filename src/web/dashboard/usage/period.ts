import { LIMITS } from '../../../contract/limits.ts';
import { dayAfter, daysOf, isDay, startOf, today } from '../days.ts';
import { useFilter } from '../location.ts';

/** The first and last day in the URL, both included. The default is the last 30 days. */
export interface Period {
  readonly first: string;
  readonly last: string;
  /** The same period for the API: `from` is included, `to` is not. Undefined if the period is invalid. */
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
  if (first > last) return 'The first day must not be after the last day.';
  return daysOf(first, last).length > LIMITS.usageDays ? `Select at most ${LIMITS.usageDays} days.` : undefined;
}
