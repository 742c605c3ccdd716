import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { UUID_PATTERN } from '../../src/contract/ids.ts';
import type { OpenApiDocument } from '../../src/rest/openapi.ts';

/** The committed document. A separate test compares it with the code. */
export const DOCUMENT = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../schema/openapi.json'), 'utf8'),
) as OpenApiDocument;

/** The document with every object closed, so that an undocumented field fails. */
const closedDocument = JSON.parse(JSON.stringify(DOCUMENT), (_key, value) =>
  value?.type === 'object' && value.properties ? { additionalProperties: false, ...value } : value,
) as OpenApiDocument;

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictTypes: false });
ajv.addFormat('uuid', UUID_PATTERN);
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
ajv.addFormat('int64', true);
ajv.addFormat('uri', URL.canParse);
ajv.addFormat('byte', (text) => text.length % 4 === 0);
ajv.addVocabulary([...Object.keys(DOCUMENT)]);
ajv.addSchema(closedDocument, 'openapi.json');

const compiled = new Map<string, ValidateFunction>();

/** The validator of the schema at a location of the document. */
function validatorAt(pointer: readonly string[]): ValidateFunction {
  const steps = pointer.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
  const reference = `openapi.json#/${steps.join('/')}`;
  const cached = compiled.get(reference);
  if (cached) return cached;
  const validator = ajv.compile({ $ref: reference });
  compiled.set(reference, validator);
  return validator;
}

function problemsOf(pointer: readonly string[], value: unknown): string[] {
  const validate = validatorAt(pointer);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`);
}

/** The parts of a response that the document describes. */
interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const PATHS = Object.keys(DOCUMENT.paths).map((path) => ({
  path,
  // Fixed segments sort before parameters.
  rank: path.replace(/\{\w+\}/g, '~'),
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));
PATHS.sort((a, b) => (a.rank < b.rank ? -1 : 1));

/** The documented path of a request, or undefined. */
function documentedPath(target: string): string | undefined {
  const [path = ''] = target.split('?');
  return PATHS.find(({ pattern }) => pattern.test(path))?.path;
}

/** How a REST response differs from the document. Empty if it conforms. */
export function undocumented(method: string, target: string, received: ReceivedResponse): string[] {
  const path = documentedPath(target);
  if (path === undefined || method === 'OPTIONS') return [];
  const requestedMethod = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operations = DOCUMENT.paths[path] ?? {};
  // Every operation of the path documents the response to a wrong method in the same way.
  const name = operations[requestedMethod] ? requestedMethod : (Object.keys(operations)[0] ?? '');
  const described = operations[name]?.responses[received.status];
  if (!described) return [`status ${received.status}`];
  const pointer = described.$ref?.split('/').slice(1) ?? ['paths', path, name, 'responses', String(received.status)];
  const response = valueAt(pointer) as { headers?: Headings; content?: Readonly<Record<string, unknown>> };
  const missing = missingHeaders(response.headers ?? {}, received.headers);
  return [...missing, ...(method === 'HEAD' ? [] : bodyProblems(pointer, response.content, received))];
}

/** What the document rejects in a request body. */
export function unacceptable(path: string, method: string, body: unknown): string[] {
  return problemsOf(['paths', path, method, 'requestBody', 'content', 'application/json', 'schema'], body);
}

type Headings = Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean }>>;

function missingHeaders(documented: Headings, sent: Headers): string[] {
  const isRequired = ({ $ref, required }: Headings[string]): boolean =>
    $ref ? isRequired(valueAt($ref.split('/').slice(1)) as Headings[string]) : required === true;
  return Object.entries(documented)
    .filter(([name, heading]) => isRequired(heading) && !sent.has(name))
    .map(([name]) => `no header ${name}`);
}

function bodyProblems(
  pointer: readonly string[],
  content: object | undefined,
  { headers, body }: ReceivedResponse,
): string[] {
  const mediaType = headers.get('content-type')?.split(';')[0] ?? '';
  if (!content) return body === '' ? [] : ['an unexpected body'];
  if (!Object.hasOwn(content, mediaType)) return [`content type ${mediaType}`];
  const schema = [...pointer, 'content', mediaType, 'schema'];
  if (mediaType === 'text/event-stream') return streamProblems(schema, String(body));
  return [...problemsOf(schema, body), ...codeProblems(valueAt([...pointer, 'content', mediaType]), body)];
}

/** Every code that an error response can have has an example. */
function codeProblems(media: unknown, body: unknown): string[] {
  const { examples = {} } = media as { readonly examples?: object };
  const { error } = (body ?? {}) as { readonly error?: { readonly code?: unknown } };
  return error?.code === undefined || Object.hasOwn(examples, String(error.code)) ? [] : [`the code ${error.code}`];
}

/** What the document rejects in a stream of server-sent events. */
function streamProblems(schema: readonly string[], stream: string): string[] {
  const items = [...schema, 'contentSchema', 'items'];
  const names = (valueAt(items) as { oneOf: readonly { title: string }[] }).oneOf.map(({ title }) => title);
  return sentEvents(stream).flatMap((sent) => {
    const { event, data } = sent;
    const variant = [...items, 'oneOf', String(names.indexOf(event))];
    if (!names.includes(event)) return [`an unknown event ${event}`];
    const dataSchema = [...variant, 'properties', 'data', 'contentSchema'];
    return [...problemsOf(items, sent), ...problemsOf(dataSchema, JSON.parse(data))];
  });
}

/** What the document rejects in its own example of a response or of a webhook message. */
export function exampleProblems(pointer: readonly string[], value: unknown): string[] {
  const isStream = pointer.at(-1) === 'text/event-stream';
  const schema = [...pointer, 'schema'];
  return isStream ? streamProblems(schema, String(value)) : problemsOf(schema, value);
}

/** What the document rejects in a message to a webhook endpoint. */
export function webhookProblems(message: { readonly type: string }): string[] {
  return exampleProblems(['webhooks', message.type, 'post', 'requestBody', 'content', 'application/json'], message);
}

/** The events of a stream. Their data is JSON as text. */
function sentEvents(text: string): { readonly id?: string; readonly event: string; readonly data: string }[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('data:'))
    .map((block) => {
      const id = /^id: ?(.*)$/m.exec(block)?.[1];
      return {
        ...(id !== undefined && { id }),
        event: /^event: ?(.*)$/m.exec(block)?.[1] ?? '',
        data: /^data: ?(.*)$/m.exec(block)?.[1] ?? '{}',
      };
    });
}

function valueAt(pointer: readonly string[]): unknown {
  return pointer.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], DOCUMENT);
}
