import { useSearchParams } from 'wouter';
import { enumValueOf } from '../../../contract/enum-names.ts';
import { ERROR_CODES } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { dayAfter, isDay, startOf } from '../days.ts';
import { isUuid } from '../frame/filters.tsx';
import { labelsIn } from './meta-filter.tsx';

export const STATUSES = {
  RUNNING: 'Running',
  WAITING_FOR_CLIENT_ACTION: 'Waiting for the client',
  FAILED: 'Failed',
  INTERRUPTED: 'Interrupted',
  ACTIVE: 'Active',
  COMPLETED: 'Completed',
} as const;

type Status = keyof typeof STATUSES;

/** The errors that end a turn: those of the service and of the model. */
export const TURN_ERRORS = (['model_error', 'model_timeout', 'internal_error', 'unavailable'] as const).filter(
  (code) => code in ERROR_CODES,
);

const ERROR_NAMES = {
  model_error: 'MODEL_ERROR',
  model_timeout: 'MODEL_TIMEOUT',
  internal_error: 'INTERNAL_ERROR',
  unavailable: 'UNAVAILABLE',
} as const;

export const ORDERS = {
  updated_at: 'UPDATED_AT',
  created_at: 'CREATED_AT',
  message_count: 'MESSAGE_COUNT',
  response_time_ms: 'RESPONSE_TIME_MS',
  cost: 'COST',
} as const;

export type OrderField = keyof typeof ORDERS;

const NUMBER = /^\d{1,9}(\.\d{1,6})?$/;

/** Why the text of a number filter is invalid. */
export const numberError = (text: string): string | undefined =>
  text === '' || NUMBER.test(text) ? undefined : 'Enter a number, for example 2.5.';

/** The filters and the order in a query string. Invalid values are left out. */
export function filterIn(params: URLSearchParams) {
  const get = (name: string) => params.get(name) ?? '';
  const number = (name: string) => (NUMBER.test(get(name)) ? Number(get(name)) : undefined);
  const text = get('search').trim();
  const status = (Object.keys(STATUSES) as Status[]).find((one) => enumValueOf(one) === get('status'));
  const error = TURN_ERRORS.find((code) => code === get('error'));
  const version = number('version');
  const [minSeconds, maxSeconds] = [number('min_seconds'), number('max_seconds')];
  const meta = labelsIn(params);
  return {
    ...(text && { text }),
    ...(isUuid(get('deployment')) && { deploymentId: get('deployment') }),
    ...ownerOf(get('end_user')),
    ...((status === 'ACTIVE' || status === 'COMPLETED') && { status }),
    ...(status && status !== 'ACTIVE' && status !== 'COMPLETED' && { runStatuses: [status] }),
    ...(get('rating') === 'up' && { rating: 'UP' as const }),
    ...(get('rating') === 'down' && { rating: 'DOWN' as const }),
    ...(error && { errorCodes: [ERROR_NAMES[error]] }),
    ...(version && Number.isInteger(version) && { workflowVersion: version }),
    ...periodOf('createdAt', get('started_from'), get('started_to')),
    ...periodOf('updatedAt', get('active_from'), get('active_to')),
    ...rangeOf(
      'responseTimeMs',
      minSeconds && Math.round(minSeconds * 1_000),
      maxSeconds && Math.round(maxSeconds * 1_000),
    ),
    ...rangeOf('cost', number('min_cost'), number('max_cost')),
    ...(Object.keys(meta).length > 0 && { meta }),
  };
}

function ownerOf(text: string): { readonly endUser?: string } {
  return text.trim() === '' || text.length > LIMITS.endUserLength ? {} : { endUser: text };
}

export type ListFilter = ReturnType<typeof filterIn>;

/** Both days belong to the period. */
function periodOf<Name extends string>(name: Name, first: string, last: string) {
  const period = {
    ...(isDay(first) && { from: startOf(first) }),
    ...(isDay(last) && { to: startOf(dayAfter(last, 1)) }),
  };
  return (Object.keys(period).length > 0 ? { [name]: period } : {}) as Partial<Record<Name, typeof period>>;
}

function rangeOf<Name extends string>(name: Name, min: number | undefined, max: number | undefined) {
  const range = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  return (Object.keys(range).length > 0 ? { [name]: range } : {}) as Partial<Record<Name, typeof range>>;
}

/** The order in the URL: `order=cost.desc`. The default is the latest activity first. */
export function orderIn(params: URLSearchParams) {
  const [field = '', direction] = (params.get('order') ?? '').split('.');
  const known = field in ORDERS ? (field as OrderField) : 'updated_at';
  return { field: known, direction: direction === 'asc' ? ('asc' as const) : ('desc' as const) };
}

export function useListFilter() {
  const [params] = useSearchParams();
  const filter = filterIn(params);
  const { field, direction } = orderIn(params);
  const orderBy = { field: ORDERS[field], direction: direction === 'asc' ? ('ASC' as const) : ('DESC' as const) };
  return { filter, order: { field, direction }, orderBy };
}

/** The same filters and order as query parameters of the REST API. */
export function restQuery(filter: ListFilter, { field, direction }: ReturnType<typeof orderIn>): string {
  const { text, deploymentId, status, runStatuses, rating, errorCodes, workflowVersion, meta = {} } = filter;
  const values: Readonly<Record<string, string | number | undefined>> = {
    text,
    deployment_id: deploymentId,
    end_user: filter.endUser,
    status: status && enumValueOf(status),
    run_status: runStatuses?.[0] && enumValueOf(runStatuses[0]),
    rating: rating && enumValueOf(rating),
    error_code: errorCodes?.[0] && enumValueOf(errorCodes[0]),
    workflow_version: workflowVersion,
    created_from: filter.createdAt?.from,
    created_to: filter.createdAt?.to,
    updated_from: filter.updatedAt?.from,
    updated_to: filter.updatedAt?.to,
    min_response_time_ms: filter.responseTimeMs?.min,
    max_response_time_ms: filter.responseTimeMs?.max,
    min_cost: filter.cost?.min,
    max_cost: filter.cost?.max,
    order_by: field,
    order: direction,
  };
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) params.set(name, String(value));
  for (const [key, value] of Object.entries(meta)) params.set(`meta[${key}]`, value);
  return params.toString();
}
