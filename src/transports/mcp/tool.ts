import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Scope } from '../../contract/scopes.ts';
import { snakeCase } from '../../rest/names.ts';
import type { Route } from '../../rest/route.ts';
import { inputSchemaOf, type ObjectSchema } from './input-schema.ts';
import { outputSchemaOf } from './output-schema.ts';

/** A tool of the MCP server: a document that REST has too. */
export interface Tool {
  readonly route: Route;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  /** The scopes that its caller needs. */
  readonly scopes: readonly Scope[];
  readonly isReadOnly: boolean;
  readonly isDestructive: boolean;
  /** A repetition changes nothing more. */
  readonly isIdempotent: boolean;
}

/** The routes whose documents have `@tool`, as tools. @throws {Error} if two tools have the same name */
export function toolsOf(schema: GraphQLSchema, routes: readonly Route[]): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const route of routes) {
    if (!route.tool) continue;
    const tool = toolOf(schema, route, route.tool);
    if (tools.has(tool.name)) throw new Error(`Two documents are the tool ${tool.name}.`);
    tools.set(tool.name, tool);
  }
  return tools;
}

function toolOf(schema: GraphQLSchema, route: Route, { title, name, destructive }: NonNullable<Route['tool']>): Tool {
  const { operation, field, access } = route;
  const isReadOnly = operation.operation === OperationTypeNode.QUERY;
  return {
    route,
    name: name ?? snakeCase(route.name).replace(/^_/, ''),
    title,
    description: operation.description?.value ?? field.description ?? title,
    inputSchema: inputSchemaOf(schema, route),
    outputSchema: outputSchemaOf(schema, route),
    scopes: [...(access.scope ? [access.scope] : []), ...(access.scopes ?? [])],
    isReadOnly,
    isDestructive: destructive,
    isIdempotent: isReadOnly,
  };
}
