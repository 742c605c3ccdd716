import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { UUID_PATTERN } from '../../src/contract/ids.ts';
import type { OpenApiDocument } from '../../src/rest/openapi.ts';

/** As it is committed; a test of its own holds it to the code. */
export const DOCUMENT = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../schema/openapi.json'), 'utf8'),
) as OpenApiDocument;

/** The document with every object closed, so that an answer with an undocumented field fails. */
const closed = JSON.parse(JSON.stringify(DOCUMENT), (_key, value) =>
  value?.type === 'object' && value.properties ? { additionalProperties: false, ...value } : value,
) as OpenApiDocument;

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
ajv.addFormat('uuid', UUID_PATTERN);
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
ajv.addVocabulary([...Object.keys(DOCUMENT)]);
ajv.addSchema(closed, 'openapi.json');

const compiled = new Map<string, ValidateFunction>();

/** The schema at a place of the document. */
function validatorAt(pointer: readonly string[]): ValidateFunction {
  const steps = pointer.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
  const reference = `openapi.json#/${steps.join('/')}`;
  const known = compiled.get(reference);
  if (known) return known;
  const made = ajv.compile({ $ref: reference });
  compiled.set(reference, made);
  return made;
}

function problemsOf(pointer: readonly string[], value: unknown): string[] {
  const validate = validatorAt(pointer);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`);
}

/** What an answer is, whoever has read it. */
interface ToldAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const PATHS = Object.keys(DOCUMENT.paths).map((path) => ({
  path,
  // What is fixed comes before what is a parameter.
  rank: path.replace(/\{\w+\}/g, '~'),
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));
PATHS.sort((a, b) => (a.rank < b.rank ? -1 : 1));

/** The documented path that a request goes to; undefined where there is none. */
function documentedPath(target: string): string | undefined {
  const [path = ''] = target.split('?');
  return PATHS.find(({ pattern }) => pattern.test(path))?.path;
}

/** What an answer of a REST operation has that the document does not know, or lacks; nothing where it is as documented. */
export function undocumented(method: string, target: string, answer: ToldAnswer): string[] {
  const path = documentedPath(target);
  if (path === undefined || method === 'OPTIONS') return [];
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operations = DOCUMENT.paths[path] ?? {};
  // A wrong method is told in the same way by all operations of the path.
  const name = operations[asked] ? asked : (Object.keys(operations)[0] ?? '');
  const described = operations[name]?.responses[answer.status];
  if (!described) return [`status ${answer.status}`];
  const pointer = described.$ref?.split('/').slice(1) ?? ['paths', path, name, 'responses', String(answer.status)];
  const response = at(pointer) as { headers?: Headings; content?: Readonly<Record<string, unknown>> };
  const missing = missingHeaders(response.headers ?? {}, answer.headers);
  return [...missing, ...(method === 'HEAD' ? [] : bodyProblems(pointer, response.content, answer))];
}

/** What a body has that the document does not let a client send. */
export function unacceptable(path: string, method: string, body: unknown): string[] {
  return problemsOf(['paths', path, method, 'requestBody', 'content', 'application/json', 'schema'], body);
}

type Headings = Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean }>>;

function missingHeaders(documented: Headings, sent: Headers): string[] {
  const isRequired = ({ $ref, required }: Headings[string]): boolean =>
    $ref ? isRequired(at($ref.split('/').slice(1)) as Headings[string]) : required === true;
  return Object.entries(documented)
    .filter(([name, heading]) => isRequired(heading) && !sent.has(name))
    .map(([name]) => `no header ${name}`);
}

function bodyProblems(
  pointer: readonly string[],
  content: object | undefined,
  { headers, body }: ToldAnswer,
): string[] {
  const mediaType = headers.get('content-type')?.split(';')[0] ?? '';
  if (!content) return body === '' ? [] : ['a body where there is to be none'];
  if (!Object.hasOwn(content, mediaType)) return [`content type ${mediaType}`];
  const schema = [...pointer, 'content', mediaType, 'schema'];
  if (mediaType !== 'text/event-stream') return problemsOf(schema, body);
  return sentEvents(String(body)).flatMap(({ event, data }) =>
    event === 'error' ? problemsOf(['components', 'schemas', 'Error'], data) : eventProblems(schema, event, data),
  );
}

/** An event's name stands before its data, and in the document among it. */
function eventProblems(schema: readonly string[], event: string, data: object): string[] {
  return problemsOf([...schema, 'contentSchema'], { event, ...data });
}

function sentEvents(text: string): { readonly event: string; readonly data: object }[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('data:'))
    .map((block) => ({
      event: /^event: ?(.*)$/m.exec(block)?.[1] ?? '',
      data: JSON.parse(/^data: ?(.*)$/m.exec(block)?.[1] ?? '{}') as object,
    }));
}

function at(pointer: readonly string[]): unknown {
  return pointer.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], DOCUMENT);
}
