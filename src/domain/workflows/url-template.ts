const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_-]*)\}/g;

/** Everything before the path; nothing in it can be filled in. */
const ORIGIN = /^https?:\/\/[^/?#@\\{}\s]+(?=$|[/?])/i;

/** What a URL parser takes for a step up or a step nowhere. */
const DOT_SEGMENT = /^(\.|%2e){1,2}$/i;

/** The names in braces, each once. */
export function placeholdersOf(template: string): string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** Scheme, host and port of an absolute template. */
export function originOf(template: string): string {
  return ORIGIN.exec(template)?.[0] ?? '';
}

/** What is wrong with a template, as the end of a sentence. One that stands behind another address has no origin. */
export function templateProblem(
  template: string,
  { isRelative }: { readonly isRelative: boolean },
): string | undefined {
  if (/[#\\\s]/.test(template)) return 'must not hold a fragment, a backslash or white space';
  const origin = originOf(template);
  const path = template.slice(origin.length);
  if (isRelative && !/^($|\/|\?)/.test(template)) return 'must begin with / where an integration gives the host';
  if (!isRelative && !(origin && URL.canParse(origin))) {
    return 'must be an https URL whose host has no placeholder, or a path with an integration';
  }
  const literal = path.replace(PLACEHOLDER, 'x');
  if (/[{}]/.test(literal)) return 'must have placeholders like {order_id}: letters, digits, _ and -';
  return hasDotSegment(literal) ? 'must not hold . or .. as a part of its path' : undefined;
}

/** A value that cannot stand at its place in a URL. `message` names the placeholder, and is for the model. */
export class UnfitValue extends Error {}

/**
 * The template with each value percent-encoded in its place, so that none of them leaves it.
 * @throws {UnfitValue}
 */
export function filledTemplate(template: string, values: Readonly<Record<string, unknown>>): string {
  const query = template.indexOf('?');
  const pathEnd = query < 0 ? template.length : query;
  const filled = template.replace(PLACEHOLDER, (_, name: string, at: number) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new UnfitValue(`${name} must be a text, a number or a boolean: it is a part of the address.`);
    }
    const text = String(value).toWellFormed();
    if (at < pathEnd && text === '') throw new UnfitValue(`${name} must not be empty: it is a part of the path.`);
    return encodeURIComponent(text);
  });
  if (hasDotSegment(filled)) throw new UnfitValue('A part of the path must not be . or .. only.');
  return filled;
}

function hasDotSegment(path: string): boolean {
  return (path.split('?')[0] ?? '').split('/').some((segment) => DOT_SEGMENT.test(segment));
}
