import { createRequire } from 'node:module';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Document, Spectral } from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { internalSchema } from '../../src/graphql/schema/schema.ts';
import { openApiText } from '../../src/reference/contracts.ts';
import type { OpenApiDocument } from '../../src/rest/openapi.ts';
import { ROOT } from '../support/database.ts';

const PUBLIC_URL = 'https://parley.invalid';

/** The document as a service with this public URL serves it. */
const text = openApiText(internalSchema, ROOT, PUBLIC_URL);
const { paths } = JSON.parse(text) as OpenApiDocument;
const operations = Object.values(paths).flatMap((methods) => Object.entries(methods));

describe('openapi.json', () => {
  it('passes every recommended rule of Redocly, warnings included', async () => {
    // The feed and the streamed reply have paths of the same form. Their methods differ, and `conversation` is no UUID.
    const rules = { 'no-ambiguous-paths': 'off' } as const;
    const config = await createConfig({ extends: ['recommended-strict'], rules });
    const problems = await lintFromString({ source: text, absoluteRef: `${ROOT}/openapi.json`, config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('passes every recommended rule of Spectral, warnings included', async () => {
    const spectral = new Spectral();
    // Its types do not allow its own rule set.
    spectral.setRuleset({ extends: [[oas as never, 'recommended']] });
    const problems = await spectral.run(new Document(text, Json, 'openapi.json'));
    expect(problems.map(({ code, message, path }) => [code, message, path.join('.')])).toEqual([]);
  });

  it('becomes a Postman collection with every operation, its examples and the public URL', async () => {
    const { info, item, variable } = await postmanCollection(text);
    expect(info.name).toBe('Parley');
    expect(variable).toContainEqual(expect.objectContaining({ key: 'baseUrl', value: PUBLIC_URL }));
    const requests = requestsOf(item);
    expect(requests.map(({ method }) => method).sort()).toEqual(
      operations.map(([method]) => method.toUpperCase()).sort(),
    );
    const withBody = operations.filter(([, { requestBody }]) => requestBody);
    expect(requests.filter(({ body }) => body?.raw)).toHaveLength(withBody.length);
    expect(requests.flatMap(({ body }) => body?.raw ?? []).join('\n')).toContain('Where is my order?');
  });
});

interface PostmanRequest {
  readonly method: string;
  readonly body?: { readonly raw?: string };
}

/** A folder of items, or a request. */
interface PostmanItem {
  readonly item?: readonly PostmanItem[];
  readonly request?: PostmanRequest;
}

interface PostmanCollection extends Required<Pick<PostmanItem, 'item'>> {
  readonly info: { readonly name: string };
  readonly variable: readonly object[];
}

interface Conversion {
  readonly result: boolean;
  readonly reason?: string;
  readonly output?: readonly { readonly data: PostmanCollection }[];
}

/** The converter that Postman imports with. It has no types. */
const postman = createRequire(import.meta.url)('openapi-to-postmanv2') as {
  convertV2(input: object, options: object, done: (error: unknown, conversion: Conversion) => void): void;
};

function postmanCollection(data: string): Promise<PostmanCollection> {
  return new Promise((resolve, reject) => {
    const options = { parametersResolution: 'Example' };
    postman.convertV2({ type: 'string', data }, options, (error, { result, reason, output } = { result: false }) => {
      const collection = output?.[0]?.data;
      if (error || !result || !collection) reject(error ?? new Error(reason));
      else resolve(collection);
    });
  });
}

function requestsOf(items: readonly PostmanItem[]): PostmanRequest[] {
  return items.flatMap(({ item, request }) => [...(request ? [request] : []), ...requestsOf(item ?? [])]);
}
