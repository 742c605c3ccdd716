import { Ajv2020 } from 'ajv/dist/2020.js';
import { UUID_PATTERN } from '../../src/contract/ids.ts';
import type { HttpResponse } from './client.ts';

interface Described {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>;
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Record<string, Described> }>>>>;
  readonly components: object;
}

const escaped = (step: string) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));

function at(document: object, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);
}

/** The OpenAPI document of published documents, with every object closed. */
export class DocumentContract {
  readonly document: Contract;
  readonly #ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictTypes: false });

  constructor(document: Contract) {
    this.document = document;
    const closed = JSON.parse(JSON.stringify(document), (_key, value) =>
      value?.type === 'object' && value.properties ? { additionalProperties: false, ...value } : value,
    );
    this.#ajv.addFormat('uuid', UUID_PATTERN);
    this.#ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    this.#ajv.addFormat('uri', true);
    this.#ajv.addFormat('byte', true);
    this.#ajv.addVocabulary(Object.keys(document));
    this.#ajv.addSchema(closed, 'documents.json');
  }

  /** How a response differs from the contract. Empty if it conforms. */
  undocumented(path: string, method: string, { status, headers, body }: HttpResponse): string[] {
    const base = ['paths', path, method.toLowerCase(), 'responses', String(status)];
    const found = at(this.document, base) as Described | undefined;
    if (!found) return [`status ${status}`];
    const pointer = found.$ref?.split('/').slice(1) ?? base;
    const response = at(this.document, pointer) as Described;
    const missing = Object.entries(response.headers ?? {}).flatMap(([name, { required }]) =>
      required && !headers.has(name) ? [`no header ${name}`] : [],
    );
    if (!response.content) return [...missing, ...(body === '' ? [] : ['an unexpected body'])];
    const media = [...pointer, 'content', 'application/json'];
    const validate = this.#ajv.compile({ $ref: `documents.json#/${[...media, 'schema'].map(escaped).join('/')}` });
    const problems = validate(body) ? [] : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message}`);
    const { examples = {} } = at(this.document, media) as { readonly examples?: object };
    const code = body?.error?.code;
    const isListed = code === undefined || Object.hasOwn(examples, code);
    return [...missing, ...problems, ...(isListed ? [] : [`the code ${code}`])];
  }
}
