import { deleteResource, updateResource } from '../../domain/resources/change.ts';
import { createResource } from '../../domain/resources/create.ts';
import { etagOf } from '../../domain/resources/etag.ts';
import { findResource, findResources, listResources, type Resource } from '../../domain/resources/reads.ts';
import type { NodeExtensions } from '../../operation/node-scope.ts';
import { CREATE_RESOURCE, DELETE_RESOURCE, UPDATE_RESOURCE } from '../../shapes/resources.ts';
import { builder } from './builder.ts';
import { CREATED_AT, orderInput, PeriodInput } from './filters.ts';
import { deletedId, mutation, NOT_FOUND } from './mutation.ts';
import { inputType } from './shape-fields.ts';

const ResourceRef = builder.objectRef<Resource>('Resource');

export const ResourceNode = builder.node(ResourceRef, {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: { nodeScope: 'resources:read' } satisfies NodeExtensions,
  description: 'A record of the workspace: a type and free-form fields.',
  loadMany: async (ids, { domain }) => {
    const resources = await findResources(domain, ids);
    return ids.map((id) => resources.find((resource) => resource.id === id) ?? null);
  },
  fields: (t) => ({
    resourceId: t.exposeID('id', { description: 'The ID: res_ and 26 characters.' }),
    type: t.exposeString('type', { description: 'The type that the client chose, for example contact.' }),
    fields: t.expose('fields', { type: 'JSONObject', description: 'The values by key.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When its fields last changed.' }),
    etag: t.string({
      description:
        'The version as an HTTP entity tag, including quotes. It changes with every update. Send it as `ifMatch`.',
      resolve: etagOf,
    }),
  }),
});

const FieldFilter = builder.inputType('ResourceFieldFilter', {
  description: 'Filters resources by the value of one field.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'A key of `fields`.' }),
    value: t.field({
      type: 'JSON',
      description:
        'The JSON value to match. Key order does not matter. Null or omitted: the key exists and its value is null.',
    }),
  }),
});

const RESOURCE_ID = { required: true, idOf: 'Resource', description: 'The ID: res_ and 26 characters.' } as const;

builder.queryField('resource', (t) =>
  t.field({
    publishing: 'reads',
    type: ResourceNode,
    nullable: true,
    extensions: NOT_FOUND,
    access: { scope: 'resources:read' },
    description:
      'A resource of the environment. Null: it does not exist, or it is not visible to the caller. Scope: resources:read.',
    args: { id: t.arg.id(RESOURCE_ID) },
    resolve: (_root, { id }, { domain }) => findResource(domain, id),
  }),
);

const ResourceFilter = builder.inputType('ResourceFilter', {
  description: 'Filters resources. All conditions must match.',
  fields: (t) => ({
    type: t.string({ description: 'Only resources of this type.' }),
    field: t.field({ type: FieldFilter, description: 'Only resources with this field value.' }),
    createdAt: t.field({ type: PeriodInput, description: 'Only resources that were created in this period.' }),
  }),
});

const ResourceOrder = orderInput('Resource', CREATED_AT);

builder.queryField('resources', (t) =>
  t.connection(
    {
      publishing: 'reads',
      type: ResourceNode,
      access: { scope: 'resources:read' },
      description: 'Resources of the environment, newest first. Scope: resources:read.',
      args: {
        filter: t.arg({ type: ResourceFilter, description: 'Omit it for all resources.' }),
        orderBy: t.arg({ type: ResourceOrder, description: 'The order. Default: newest first.' }),
      },
      resolve: (_root, { filter, orderBy, ...args }, { domain }) => listResources(domain, args, filter ?? {}, orderBy),
    },
    { name: 'ResourceConnection', description: 'A page of resources.' },
    { name: 'ResourceEdge' },
  ),
);

mutation('createResource', {
  publishing: 'adds',
  access: { scope: 'resources:write' },
  description: 'Creates a resource. Logs the event resource.created. Scope: resources:write.',
  input: inputType(CREATE_RESOURCE),
  errors: ['invalid_request'],
  resolve: (input, { domain }) => createResource(domain, input),
  payload: (t) => ({
    resource: t.field({ type: ResourceNode, description: 'The new resource.', resolve: (resource) => resource }),
  }),
});

mutation('updateResource', {
  publishing: 'changes',
  access: { scope: 'resources:write' },
  description:
    'Changes fields of a resource. Logs the event resource.updated, unless nothing changed. Scope: resources:write.',
  input: inputType(UPDATE_RESOURCE),
  errors: ['invalid_request', 'not_found', 'precondition_failed'],
  resolve: ({ fields, ...address }, { domain }) => updateResource(domain, address, fields),
  payload: (t) => ({
    resource: t.field({ type: ResourceNode, description: 'The changed resource.', resolve: (resource) => resource }),
  }),
});

mutation('deleteResource', {
  publishing: 'removes',
  access: { scope: 'resources:write' },
  description: 'Deletes a resource. Logs the event resource.deleted. Scope: resources:write.',
  input: inputType(DELETE_RESOURCE),
  errors: ['invalid_request', 'not_found', 'precondition_failed'],
  resolve: (input, { domain }) => deleteResource(domain, input),
  payload: (t) => ({
    deletedId: deletedId(t, 'Resource', ({ id }) => id),
    resource: t.field({ type: ResourceNode, description: 'Its last state.', resolve: (resource) => resource }),
  }),
});
