import type { GraphQLSchema } from 'graphql';
import { snakeCase } from '../../contract/snake-case.ts';
import { canBeAllowed } from '../../operation/apps/step-up.ts';
import { canUse } from '../../operation/can-use.ts';
import type { OpenRequest } from '../../operation/operation-request.ts';
import { type Annotations, annotationsOf } from '../../operation/publishing.ts';
import type { Route } from '../../rest/route.ts';
import { compactInput, compactOutput } from './compact-schema.ts';
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
  readonly annotations: Annotations;
}

/** The root fields that a tool uses. */
export interface UsedFields {
  readonly roots: readonly Pick<Route['roots'][number], 'access'>[];
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

/** Whether the tool is listed for the caller. An app sees tools for which it has to ask its person for more scopes. */
export function isListed({ roots }: UsedFields, opened: Pick<OpenRequest, 'identity'>): boolean {
  return canBeAllowed(
    opened,
    roots.map(({ access }) => access),
  );
}

/** Whether the caller can use every root field of the tool. */
export function isUsable({ roots }: UsedFields, { identity: { caller } }: Pick<OpenRequest, 'identity'>): boolean {
  return caller !== undefined && roots.every(({ access }) => canUse(caller, access));
}

export function toolOf(
  schema: GraphQLSchema,
  route: Route,
  { title, name, description, destructive }: NonNullable<Route['tool']>,
): Tool {
  const { operation, field, roots } = route;
  const [input, output] = [inputSchemaOf(schema, route), outputSchemaOf(schema, route)];
  const annotations = annotationsOf(roots.map((root) => root.field));
  return {
    route,
    name: name ?? snakeCase(route.name).replace(/^_/, ''),
    title,
    description: description ?? operation.description?.value ?? field.description ?? title,
    inputSchema: route.published ? input : compactInput(input),
    outputSchema: route.published ? output : compactOutput(output),
    // The directive can only add a warning.
    annotations: { ...annotations, isDestructive: annotations.isDestructive || destructive },
  };
}
