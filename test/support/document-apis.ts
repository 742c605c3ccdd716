import type { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { DocumentContract } from './document-contract.ts';
import { publish } from './documents.ts';
import { callTool, connectMcp } from './mcp-client.ts';
import type { TestService } from './service.ts';

/** The result of a call on any API: data, or the code and field of an error in the words of REST. */
export interface Called {
  readonly data?: unknown;
  readonly code?: string;
  readonly param?: string | null;
}

interface Parameter {
  readonly name: string;
  readonly place: 'PATH' | 'QUERY' | 'HEADER' | 'BODY';
}

export type Values = Readonly<Record<string, unknown>>;

/** A published document with a function for each API. */
export interface DocumentApis {
  readonly kind: 'QUERY' | 'MUTATION';
  call(variables: Values): Promise<Readonly<Record<'text' | 'trusted' | 'rest' | 'mcp', Called>>>;
}

/** A GraphQL result. An error that a mutation returns is its result; a look-up that finds nothing is null. */
function ofGraphql(
  body: Called & { errors?: readonly { extensions: { code: string; param: string } }[] },
  single: boolean,
): Called {
  const [error] = body.errors ?? [];
  if (error) return { code: error.extensions.code.toLowerCase(), param: error.extensions.param ?? null };
  const [root] = Object.values(body.data as object);
  if (single && root === null) return { code: 'not_found', param: 'id' };
  const { code, path } = (root ?? {}) as { readonly code?: string; readonly path?: readonly string[] | null };
  if (single && code !== undefined) return { code: code.toLowerCase(), param: path?.join('.') ?? null };
  return { data: body.data };
}

const ofRest = (body: { error?: { code: string; param: string | null } }): Called =>
  body.error ? { code: body.error.code, param: body.error.param } : { data: body };

/** Publishes a document and calls it on every API. Throws if a REST response is not in the caller's OpenAPI document. */
export async function documentApis(service: TestService, name: string, text: string): Promise<DocumentApis> {
  const published = await publish(service, name, text);
  const { route, trustedText, trustedId } = published.check;
  const parameters: readonly Parameter[] = route.parameters;
  const contract = new DocumentContract((await service.send('GET', '/v1/x/openapi.json')).body);
  const mcp: McpClient = await connectMcp(service.url, { key: service.keys.live });
  const single = /ONE/.test(text);
  return {
    kind: published.kind,
    async call(variables) {
      const post = async (body: object) => ofGraphql((await service.send('POST', '/graphql', { body })).body, single);
      const { path, body } = restRequest(route, parameters, variables);
      const response = await service.send(route.method, path, body === undefined ? {} : { body });
      const problems = contract.undocumented(route.path, route.method, response);
      if (problems.length > 0) throw new Error(`${path} ${JSON.stringify(response.body)}: ${problems.join('; ')}`);
      return {
        text: await post({ query: trustedText, variables }),
        trusted: await post({ documentId: trustedId, variables }),
        rest: ofRest(response.body),
        mcp: ofRest(await callTool(mcp, name, variables)),
      };
    },
  };
}

function restRequest(
  { path, method }: { readonly path: string; readonly method: string },
  parameters: readonly Parameter[],
  variables: Values,
): { readonly path: string; readonly body?: object } {
  const placeOf = new Map(parameters.map(({ name, place }) => [name, place]));
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  let target = path;
  for (const [name, value] of Object.entries(variables)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const place = placeOf.get(name);
    if (place === 'PATH') target = target.replace(`{${name}}`, encodeURIComponent(text));
    else if (place === 'BODY') body[name] = value;
    else if (Array.isArray(value)) for (const item of value) query.append(name, String(item));
    else query.append(name, text);
  }
  return {
    path: query.size > 0 ? `${target}?${query}` : target,
    ...(method !== 'GET' && method !== 'DELETE' && { body }),
  };
}
