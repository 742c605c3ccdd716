import type { Request } from 'express';
import type { Route } from './route.ts';

/** Longer links are omitted, because proxies reject responses whose headers exceed their buffer. */
const LONGEST_LINK = 2_048;

type Fields = Readonly<Record<string, unknown>>;

/** `Location` of a created object, and `Link` to the next and previous page (RFC 8288). */
export function linkHeaders(request: Request, { method, directive }: Route, body: unknown): Record<string, string> {
  if (!isFields(body)) return {};
  const location = directive.location && filled(directive.location, body.data ?? body);
  const link = method === 'get' ? linksOf(request.originalUrl, body) : '';
  return {
    ...(location && { Location: location }),
    ...(link !== '' && link.length <= LONGEST_LINK && { Link: link }),
  };
}

/** The headers of a 202: the client preferred not to wait for the turn, whose body is its start. Undefined for every other response. */
export function acceptedHeaders({ directive }: Route, body: unknown): Record<string, string> | undefined {
  if (!directive.accepted || !isFields(body) || body.follow_cursor === undefined) return undefined;
  return { Location: filled(directive.accepted, body), 'Preference-Applied': 'respond-async' };
}

/** Fills the placeholders of a path with fields of the created object. */
function filled(template: string, created: unknown): string {
  return template.replace(/\{(\w+)\}/g, (_braces, name: string) =>
    encodeURIComponent(String(isFields(created) ? created[name] : '')),
  );
}

/** Links of a page by number (`page`, `has_more`) or by cursor (`next_cursor`, `meta.nextCursor`). */
function linksOf(url: string, { page, page_size: size, has_more: hasMore, as_of, next_cursor, meta }: Fields): string {
  const links: string[] = [];
  if (typeof page === 'number' && typeof size === 'number') {
    if (hasMore === true) links.push(linkTo(url, 'next', { page: page + 1, as_of }));
    if (page > 1) links.push(linkTo(url, 'prev', { page: page - 1, as_of: null }));
  }
  const cursor = next_cursor ?? (isFields(meta) ? meta.nextCursor : undefined);
  if (typeof cursor === 'string') links.push(linkTo(url, 'next', { cursor }));
  return links.join(', ');
}

/** The URL of the request with these query parameters. One that is null is removed. */
function linkTo(url: string, rel: 'next' | 'prev', parameters: Fields): string {
  const queryStart = url.indexOf('?');
  const query = new URLSearchParams(queryStart === -1 ? '' : url.slice(queryStart + 1));
  for (const [name, value] of Object.entries(parameters)) {
    if (value == null) query.delete(name);
    else query.set(name, String(value));
  }
  return `<${queryStart === -1 ? url : url.slice(0, queryStart)}?${query}>; rel="${rel}"`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
