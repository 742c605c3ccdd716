import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonSchema } from '../../src/rest/json-schema.ts';
import type { OpenApiDocument, Operation } from '../../src/rest/openapi.ts';
import { docstring, snakeCase } from './text.ts';
import { PythonTypes, union } from './types.ts';

const TITLE = `"""A client of Parley's REST API for Python 3.9 or newer, without dependencies.

Generated from openapi.json by \`npm run schema\`. \`client.py\` next to it is an example.
"""

from __future__ import annotations

`;

const RUNTIME = readFileSync(join(import.meta.dirname, 'runtime.py'), 'utf8');

/** A client for Python: one method for each operation, and the types of their bodies and responses. */
export function pythonClient({ paths, components }: OpenApiDocument): string {
  const types = new PythonTypes();
  for (const [name, schema] of Object.entries(components.schemas)) types.declare(name, schema);
  const methods = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => methodText(types, { method, path, operation })),
  );
  const client = `class Parley(Connection):\n    """The operations of the service. Errors are ParleyError."""\n\n${methods.join('\n')}`;
  return `${TITLE}${RUNTIME}\n\n${types.text}\n\n${client}`;
}

/** Python's null. */
const NULL = 'None';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function methodText(types: PythonTypes, { method, path, operation }: Route): string {
  const { operationId, parameters = [], requestBody } = operation;
  const declared = parameters.map(({ name, in: where, required, schema }) => {
    const annotation = types.annotation(schema as JsonSchema);
    const own = snakeCase(name.replace(/^x-/, ''));
    return { name, where, own, text: required ? `${own}: ${annotation}` : `${own}: Optional[${annotation}] = ${NULL}` };
  });
  const inPlace = (where: string) => declared.filter((one) => one.where === where);
  const body =
    requestBody && `body: ${types.annotation(requestBody.content['application/json'].schema, `${operationId}Body`)}`;
  const arguments_ = [...inPlace('path'), ...inPlace('query'), ...inPlace('header')].map(({ text }) => text);
  const { reader, accept, returns } = response(types, operation);
  const entries = (where: string) =>
    inPlace(where)
      .map(({ name, own }) => `"${name}": ${own}`)
      .join(', ');
  // Required arguments are named, too. So a new optional parameter never moves another one.
  const signature = ['self', '*', ...(body ? [body] : []), ...arguments_].map((one) => `        ${one},\n`).join('');
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name) => `{_path(${snakeCase(name)})}`);
  return (
    `    def ${snakeCase(operationId)}(\n${signature}    ) -> ${returns}:\n` +
    docstring([operation.summary, operation.description].filter(Boolean).join('. '), 8).replace(/\n\n$/, '\n') +
    `        path = f"${address}"\n` +
    `        query: Dict[str, Any] = {${entries('query')}}\n` +
    `        headers: Dict[str, Optional[str]] = {${entries('header')}}\n` +
    sent(`self.${reader}("${method.toUpperCase()}", path, "${accept}", query, headers${body ? ', body' : ''})`, returns)
  );
}

/** The lines that send the request. A checker of types refuses untyped JSON as the result of a typed method. */
function sent(call: string, returns: string): string {
  if (returns === NULL) return `        ${call}\n`;
  if (returns.startsWith('Iterator')) return `        return ${call}\n`;
  return `        response: ${returns} = ${call}\n        return response\n`;
}

/** How the response is read, and its type. */
function response(types: PythonTypes, { operationId, responses }: Operation) {
  const contents = Object.entries(responses).flatMap(([status, one]) =>
    status.startsWith('2') ? [{ status, content: one.content ?? {} }] : [],
  );
  const accepts = (type: string) => contents.some(({ content }) => type in content);
  const events = 'text/event-stream';
  if (accepts(events)) return { reader: '_events', accept: events, returns: 'Iterator[ServerEvent]' };
  const linesType = 'application/x-ndjson';
  if (accepts(linesType)) return { reader: '_lines', accept: linesType, returns: 'Iterator[Any]' };
  const returns = contents.map(({ status, content }) => {
    const schema = content['application/json']?.schema;
    return schema ? types.annotation(schema, `${operationId}${status === '202' ? 'Accepted' : 'Response'}`) : NULL;
  });
  return { reader: '_json', accept: 'application/json', returns: union(returns) };
}
