import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';

/** The requested page of a numbered list. */
export interface PageNumber {
  /** From 1. */
  readonly page: number;
  /** 1 to 100. */
  readonly pageSize: number;
}

/** One page of a numbered list, and the total number of items. */
export interface NumberedPage<Item> extends PageNumber {
  readonly items: Item[];
  readonly total: number;
  readonly hasMore: boolean;
}

/** The source of a numbered list. */
interface NumberedSource<Item> {
  readonly count: () => Promise<number>;
  readonly find: (range: { readonly skip: number; readonly take: number }) => Promise<Item[]>;
}

/** @throws {ServiceError} invalid_request if the page or its size is out of range */
export async function numberedPage<Item>(
  page: PageNumber,
  { count, find }: NumberedSource<Item>,
): Promise<NumberedPage<Item>> {
  const range = rangeOfPage(page);
  // In parallel, because counting takes as long as reading a page in the middle.
  const [total, items] = await Promise.all([count(), find(range)]);
  return pageOf(page, items, total);
}

/** @throws {ServiceError} invalid_request if the page or its size is out of range */
export function rangeOfPage({ page, pageSize }: PageNumber): { readonly skip: number; readonly take: number } {
  requireWithin('page', page, LIMITS.page);
  requireWithin('pageSize', pageSize, LIMITS.pageSize);
  return { skip: (page - 1) * pageSize, take: pageSize };
}

export function pageOf<Item>({ page, pageSize }: PageNumber, items: Item[], total: number): NumberedPage<Item> {
  return { items, total, page, pageSize, hasMore: (page - 1) * pageSize + items.length < total };
}

function requireWithin(param: string, value: number, most: number): void {
  if (value >= 1 && value <= most) return;
  throw new ServiceError('invalid_request', `{param} must be from 1 to ${most}.`, { param: [param] });
}
