import type { ResourceTool } from '../../contract/tool-names.ts';
import { withoutClaim } from '../access/caller-context.ts';
import type { Context } from '../context.ts';
import { updateResource } from '../resources/change.ts';
import { createResource } from '../resources/create.ts';
import type { Fields } from '../resources/fields.ts';
import { findResource, listResources, type Resource } from '../resources/reads.ts';
import type { OfferedAction } from './offered-action.ts';

type Arguments = Readonly<Record<string, unknown>>;

interface BuiltIn {
  readonly offered: OfferedAction;
  /** `args` match the schema. @throws {ServiceError} */
  run(ctx: Context, args: Arguments): Promise<unknown>;
}

const MOST_FOUND = 20;
const DEFAULT_FOUND = 10;

const id = { type: 'string', description: 'The ID of the resource. It begins with res_.' } as const;
const type = { type: 'string', description: 'What kind of record it is: a word of a-z, 0-9 and _.' } as const;
const fields = { type: 'object', description: 'Free-form names and values.' } as const;

/** The built-in tools for resources. They only see the environment of the run. */
export const RESOURCE_TOOL: Readonly<Record<ResourceTool, BuiltIn>> = {
  find_resources: {
    offered: tool('find_resources', 'Lists stored records, newest first, by type and by the value of one field.', {
      properties: {
        type,
        field: {
          type: 'object',
          description: 'Only records whose field with this name has this value.',
          properties: { name: { type: 'string' }, value: {} },
          required: ['name', 'value'],
          additionalProperties: false,
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MOST_FOUND,
          description: `Number of records. Default: ${DEFAULT_FOUND}.`,
        },
        cursor: { type: 'string', description: 'The next_cursor of the previous page.' },
      },
    }),
    async run(ctx, { type, field, limit, cursor }) {
      const filter = { type: type as string | undefined, field: field as { name: string; value: unknown } | undefined };
      const page = { first: (limit as number | undefined) ?? DEFAULT_FOUND, after: cursor as string | undefined };
      const list = await listResources(ctx, page, filter);
      return { resources: list.edges.map(({ node }) => shown(node)), next_cursor: list.nextCursor ?? null };
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
      shown(await createResource(withoutClaim(ctx), { type: type as string, fields: fields as Fields })),
  },
  update_resource: {
    offered: tool('update_resource', 'Changes fields of a stored record. Other fields stay unchanged.', {
      properties: { id, fields },
      required: ['id', 'fields'],
    }),
    run: async (ctx, { id, fields }) =>
      shown(await updateResource(withoutClaim(ctx), { id: id as string }, fields as Fields)),
  },
};

function tool(name: ResourceTool, description: string, schema: Arguments): OfferedAction {
  return { kind: 'tool', name, description, inputSchema: { type: 'object', ...schema, additionalProperties: false } };
}

function shown({ id, type, fields, createdAt, updatedAt }: Resource) {
  return { id, type, fields, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}
