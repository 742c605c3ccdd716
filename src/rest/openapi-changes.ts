import { narrowed, type Schema, widened } from './schema-changes.ts';

/** The parts of an OpenAPI document that clients depend on. */
export interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Operation {
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content };
  readonly responses?: Readonly<Record<string, Response>>;
  readonly 'x-required-scope'?: string;
  readonly 'x-required-scopes'?: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

/** The changes that break clients of the earlier document, one sentence each. */
export function breakingOpenApiChanges(before: Document, after: Document): string[] {
  return Object.entries(before.paths ?? {}).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const now = after.paths?.[path]?.[method];
      return now ? changesOf({ before, after, name }, operation, now) : [`${name} was removed`];
    }),
  );
}

interface Compared {
  readonly before: Document;
  readonly after: Document;
  readonly name: string;
}

function changesOf(compared: Compared, was: Operation, is: Operation): string[] {
  const { name } = compared;
  return [
    ...scopesOf(is)
      .filter((scope) => !scopesOf(was).includes(scope))
      .map((scope) => `${name} requires the scope ${scope}`),
    ...credentialsLost(name, was.security ?? [], is.security ?? []),
    ...parameterChanges(compared, was.parameters ?? [], is.parameters ?? []),
    ...bodyChanges(compared, was, is),
    ...Object.entries(was.responses ?? {}).flatMap(([status, response]) =>
      /^[23]/.test(status) ? responseChanges(compared, status, response, is.responses?.[status]) : [],
    ),
  ];
}

function scopesOf({ 'x-required-scope': scope, 'x-required-scopes': scopes = [] }: Operation): readonly string[] {
  return scope === undefined ? scopes : [scope];
}

/** An empty list means that no credentials are required. */
function credentialsLost(name: string, was: readonly object[], is: readonly object[]): string[] {
  if (is.length === 0) return [];
  const now = new Set(is.map((scheme) => JSON.stringify(scheme)));
  const earlier = was.length === 0 ? [{}] : was;
  return earlier
    .filter((scheme) => !now.has(JSON.stringify(scheme)))
    .map(
      (scheme) => `${name} no longer accepts ${Object.keys(scheme).join(' and ') || 'requests without credentials'}`,
    );
}

const keyOf = (parameter: Parameter) => `${parameter.in} parameter ${parameter.name}`;

function parameterChanges(compared: Compared, was: readonly Parameter[], is: readonly Parameter[]): string[] {
  const { name, before, after } = compared;
  const earlier = new Map(was.map((parameter) => [keyOf(parameter), parameter]));
  const now = new Map(is.map((parameter) => [keyOf(parameter), parameter]));
  const removed = [...earlier.keys()].filter((key) => !now.has(key)).map((key) => `${name}: ${key} was removed`);
  const tightened = [...now].flatMap(([key, parameter]) => {
    const old = earlier.get(key);
    const required = parameter.required && !old?.required ? [`${name}: ${key} is required`] : [];
    if (!old) return required;
    const schemas = narrowed({ before, after }, old.schema ?? {}, parameter.schema ?? {});
    return [...required, ...schemas.map((change) => `${name}: ${key}${change}`)];
  });
  return [...removed, ...tightened];
}

function bodyChanges({ name, before, after }: Compared, was: Operation, is: Operation): string[] {
  const [old, now] = [was.requestBody, is.requestBody];
  if (old && !now) return [`${name}: the request's body was removed`];
  const required = now?.required && !old?.required ? [`${name}: the request's body is required`] : [];
  const types = Object.entries(old?.content ?? {}).flatMap(([type, { schema }]) => {
    const media = now?.content?.[type];
    if (!media) return [`${name}: the request's content type ${type} was removed`];
    const changes = narrowed({ before, after }, schema ?? {}, media.schema ?? {});
    return changes.map((change) => `${name}: the request's body${change}`);
  });
  return [...required, ...types];
}

function responseChanges(compared: Compared, status: string, was: Response, is: Response | undefined): string[] {
  const { name, before, after } = compared;
  if (!is) return [`${name}: the response ${status} was removed`];
  const headers = Object.keys(was.headers ?? {})
    .filter((header) => !Object.hasOwn(is.headers ?? {}, header))
    .map((header) => `${name}: the header ${header} of the response ${status} was removed`);
  const types = Object.entries(was.content ?? {}).flatMap(([type, { schema }]) => {
    const media = is.content?.[type];
    if (!media) return [`${name}: the content type ${type} of the response ${status} was removed`];
    const changes = widened({ before, after }, schema ?? {}, media.schema ?? {});
    return changes.map((change) => `${name}: the response ${status}${change}`);
  });
  return [...headers, ...types];
}
