import type { Environment } from '../location.ts';
import { exampleVariables, type Parameter } from './variables.ts';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly parameters: readonly Parameter[];
}

/** What the examples call. */
export interface Target {
  readonly name: string;
  readonly route: Route;
  readonly trustedId: string;
  readonly environment: Environment;
  /** The origin of the service. */
  readonly origin: string;
}

/** One example call. */
interface Snippet {
  readonly label: string;
  readonly text: string;
}

/** Examples of each API with the required variables. The key is a variable of the shell or of the process. */
export function snippetsOf(target: Target): readonly Snippet[] {
  return [
    { label: 'curl', text: curl(target) },
    { label: 'TypeScript, with documents.d.ts', text: typescript(target) },
    { label: 'MCP client', text: mcpSettings(target) },
    { label: 'MCP call of the tool', text: mcpCall(target) },
    { label: 'GraphQL with the trusted ID', text: trusted(target) },
  ];
}

/** The address and the body of an example request. */
function requestOf({ route, origin }: Target) {
  const values = exampleVariables(route.parameters);
  const valuesIn = (place: Parameter['place']) =>
    route.parameters
      .filter((one) => one.place === place && one.name in values)
      .map(({ name }) => [name, values[name]] as const);
  const path = route.path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(textOf(values[name] ?? '')));
  const query = new URLSearchParams(valuesIn('QUERY').map(([name, value]) => [name, textOf(value)]));
  const body = ['POST', 'PUT', 'PATCH'].includes(route.method) ? Object.fromEntries(valuesIn('BODY')) : undefined;
  return { url: `${origin}${path}${query.size > 0 ? `?${query}` : ''}`, body };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A text in single quotes of the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curl(target: Target): string {
  const { url, body } = requestOf(target);
  const { method } = target.route;
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    '-H "Authorization: Bearer $PARLEY_API_KEY"',
    ...(body ? [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`] : []),
  ].join(' \\\n  ');
}

function typescript(target: Target): string {
  const { url, body } = requestOf(target);
  const { method, status } = target.route;
  const type = target.name.replace(/(^|_)([a-z])/g, (_all, _start, letter: string) => letter.toUpperCase());
  const headers = `{ authorization: \`Bearer \${process.env.PARLEY_API_KEY}\`${body ? ", 'content-type': 'application/json'" : ''} }`;
  return [
    ...(status === 204 ? [] : [`import type { ${type}Result } from './documents.js';`, '']),
    `const response = await fetch('${url}', {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    `  headers: ${headers},`,
    ...(body ? [`  body: JSON.stringify(${JSON.stringify(body)}),`] : []),
    '});',
    'if (!response.ok) throw new Error((await response.json()).error.message);',
    ...(status === 204 ? [] : [`const result = (await response.json()) as ${type}Result;`]),
  ].join('\n');
}

function mcpSettings({ origin, environment }: Target): string {
  const headers = { Authorization: `Bearer sk_${environment}_…` };
  return JSON.stringify({ mcpServers: { parley: { type: 'http', url: `${origin}/mcp`, headers } } }, null, 2);
}

function mcpCall({ name, route }: Target): string {
  const params = { name, arguments: exampleVariables(route.parameters) };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, null, 2);
}

function trusted(target: Target): string {
  const body = { documentId: target.trustedId, variables: exampleVariables(target.route.parameters) };
  return [
    `curl ${quoted(`${target.origin}/graphql`)}`,
    '-H "Authorization: Bearer $PARLEY_API_KEY"',
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}
