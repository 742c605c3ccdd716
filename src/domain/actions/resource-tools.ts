import type { ResourceTool } from '../../contract/tool-names.ts';
import type { Context } from '../context.ts';
import { updateResource } from '../resources/change.ts';
import { createResource } from '../resources/create.ts';
import type { Fields } from '../resources/fields.ts';
import { findResource, listResources, type Resource } from '../resources/reads.ts';
import type { OfferedAction } from './offered.ts';

type Arguments = Readonly<Record<string, unknown>>;

interface BuiltIn {
  readonly offered: OfferedAction;
  /** Its arguments are as the schema has them. @throws {ServiceError} */
  run(ctx: Context, given: Arguments): Promise<unknown>;
}

const MOST_FOUND = 20;

const id = { type: 'string', description: 'Of the resource: begins with res_.' } as const;
const type = { type: 'string', description: 'What kind of record it is: a word of a-z, 0-9 and _.' } as const;
const fields = { type: 'object', description: 'Free-form names and values.' } as const;

/** The built-in tools for resources, by the environment of the run alone. */
export const RESOURCE_TOOL: Readonly<Record<ResourceTool, BuiltIn>> = {
  find_resources: {
    offered: tool('find_resources', 'Lists stored records, newest first, by type and by the value of one field.', {
      properties: {
        type,
        field: {
          type: 'object',
          description: 'Only those whose field of this name is equal to this value.',
          properties: { name: { type: 'string' }, value: {} },
          required: ['name', 'value'],
          additionalProperties: false,
        },
        limit: { type: 'integer', minimum: 1, maximum: MOST_FOUND, description: 'How many; by default 10.' },
        cursor: { type: 'string', description: 'next_cursor of the answer before, for those that follow.' },
      },
    }),
    async run(ctx, { type, field, limit, cursor }) {
      const filter = { type: type as string | undefined, field: field as { name: string; value: unknown } | undefined };
      const page = { first: (limit as number | undefined) ?? 10, after: cursor as string | undefined };
      const found = await listResources(ctx, page, filter);
      return { resources: found.edges.map(({ node }) => shown(node)), next_cursor: found.nextCursor ?? null };
    },
  },
  read_resource: {
    offered: tool('read_resource', 'Reads one stored record.', { properties: { id }, required: ['id'] }),
    run: async (ctx, { id }) => shown(await findResource(ctx, id as string)),
  },
  create_resource: {
    offered: tool('create_resource', 'Stores a new record.', {
      properties: { type, fields },
      required: ['type', 'fields'],
    }),
    run: async (ctx, { type, fields }) =>
      shown(await createResource(apart(ctx), { type: type as string, fields: fields as Fields })),
  },
  update_resource: {
    offered: tool('update_resource', 'Changes fields of a stored record; fields that are not given stay.', {
      properties: { id, fields },
      required: ['id', 'fields'],
    }),
    run: async (ctx, { id, fields }) => shown(await updateResource(apart(ctx), { id: id as string }, fields as Fields)),
  },
};

/** What is made here is no answer to the request: its idempotency key must not take it for one. */
function apart(ctx: Context): Context {
  return { ...ctx, request: { ...ctx.request, claim: undefined } };
}

function tool(name: ResourceTool, description: string, schema: Arguments): OfferedAction {
  return { kind: 'tool', name, description, inputSchema: { type: 'object', ...schema, additionalProperties: false } };
}

function shown({ id, type, fields, createdAt, updatedAt }: Resource) {
  return { id, type, fields, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}
