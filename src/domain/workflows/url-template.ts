const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_-]*)\}/g;

/** Everything before the path. It has no placeholders. */
const ORIGIN = /^https?:\/\/[^/?#@\\{}\s]+(?=$|[/?])/i;

/** Path segments that a URL parser reads as . or .. */
const DOT_SEGMENT = /^(\.|%2e){1,2}$/i;

/** The distinct placeholder names. */
export function placeholdersOf(template: string): string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** Scheme, host and port of an absolute template. */
export function originOf(template: string): string {
  return ORIGIN.exec(template)?.[0] ?? '';
}

/** Returns the problem of a template, to complete a sentence. A relative template has no origin. */
export function templateProblem(
  template: string,
  { isRelative }: { readonly isRelative: boolean },
): string | undefined {
  if (/[#\\\s]/.test(template)) return 'must not contain a fragment, a backslash or white space';
  const origin = originOf(template);
  const path = template.slice(origin.length);
  if (isRelative && !/^($|\/|\?)/.test(template)) return 'must start with / if an integration sets the host';
  if (!isRelative && !(origin && URL.canParse(origin))) {
    return 'must be an https URL whose host has no placeholder, or a path with an integration';
  }
  const literal = path.replace(PLACEHOLDER, 'x');
  if (/[{}]/.test(literal)) return 'must have placeholders like {order_id}, with letters, digits, _ and -';
  return hasDotSegment(literal) ? 'must not contain . or .. as a path segment' : undefined;
}

/** A value that is not valid in the URL. The message names the placeholder, and the model gets it. */
export class InvalidUrlValueError extends Error {}

/**
 * Fills in the template. Each value is percent-encoded, so it cannot change other parts of the URL.
 * @throws {InvalidUrlValueError}
 */
export function filledTemplate(template: string, values: Readonly<Record<string, unknown>>): string {
  const query = template.indexOf('?');
  const pathEnd = query < 0 ? template.length : query;
  const filled = template.replace(PLACEHOLDER, (_, name: string, at: number) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new InvalidUrlValueError(`${name} must be a string, a number or a boolean, because it is part of the URL.`);
    }
    const text = String(value).toWellFormed();
    if (at < pathEnd && text === '')
      throw new InvalidUrlValueError(`${name} must not be empty, because it is part of the path.`);
    return encodeURIComponent(text);
  });
  if (hasDotSegment(filled)) throw new InvalidUrlValueError('A path segment must not be . or ..');
  return filled;
}

function hasDotSegment(path: string): boolean {
  return (path.split('?')[0] ?? '').split('/').some((segment) => DOT_SEGMENT.test(segment));
}
