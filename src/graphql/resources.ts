import { deleteResource, updateResource } from '../domain/resources/change.ts';
import { createResource } from '../domain/resources/create.ts';
import { etagOf } from '../domain/resources/etag.ts';
import { findResource, findResources, listResources, type Resource } from '../domain/resources/reads.ts';
import { builder } from './builder.ts';
import type { NodeExtensions } from './node-scope.ts';

const ResourceRef = builder.objectRef<Resource>('Resource');

const ResourceNode = builder.node(ResourceRef, {
  id: { resolve: ({ id }) => id, description: 'The global id, for `node`.' },
  extensions: { nodeScope: 'resources:read' } satisfies NodeExtensions,
  description: 'A record of the workspace: a type, and fields of any shape.',
  loadMany: async (ids, { domain }) => {
    const found = await findResources(domain, ids);
    return ids.map((id) => found.find((resource) => resource.id === id) ?? null);
  },
  fields: (t) => ({
    resourceId: t.exposeID('id', { description: 'What every operation names it by: res_ and 26 characters.' }),
    type: t.exposeString('type', { description: "A word of the client's own, like contact." }),
    fields: t.expose('fields', { type: 'JSONObject', description: 'Its values by key.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When its fields last changed.' }),
    etag: t.string({
      description: 'Its version, in quotes as HTTP writes it: another one after every change. For `ifMatch`.',
      resolve: etagOf,
    }),
  }),
});

const FieldFilter = builder.inputType('ResourceFieldFilter', {
  description: 'A field and the value that it has to have.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The key, as it stands in `fields`.' }),
    value: t.field({
      type: 'JSON',
      description: 'Equal as JSON, key order aside. Null, or left out: the key is there, and its value is null.',
    }),
  }),
});

const CreateResourceInput = builder.inputType('CreateResourceInput', {
  description: 'A new resource.',
  fields: (t) => ({
    type: t.string({ required: true, description: '1 to 64 of a-z, 0-9 and _, beginning with a letter.' }),
    fields: t.field({
      type: 'JSONObject',
      required: true,
      description: 'Its values by key: at most 256 KiB as JSON, at most 20 levels deep.',
    }),
  }),
});

const UpdateResourceInput = builder.inputType('UpdateResourceInput', {
  description: 'A change of a resource.',
  fields: (t) => ({
    fields: t.field({
      type: 'JSONObject',
      required: true,
      description: 'A key given takes that value, null included; other keys stay. The limits hold for the result.',
    }),
  }),
});

const ID_ARG = { required: true, description: 'Its public id, res_ and 26 characters.' } as const;

const IF_MATCH_ARG = {
  description: 'Entity tags in their quotes, or *: precondition_failed where the resource is no longer one of these.',
} as const;

builder.queryField('resource', (t) =>
  t.field({
    type: ResourceNode,
    nullable: true,
    authScopes: { scope: 'resources:read' },
    description: 'One resource of the environment; an error not_found where there is none. Scope: resources:read.',
    args: { id: t.arg.id(ID_ARG) },
    resolve: (_root, { id }, { domain }) => findResource(domain, id),
  }),
);

builder.queryField('resources', (t) =>
  t.connection(
    {
      type: ResourceNode,
      authScopes: { scope: 'resources:read' },
      description: 'Resources of the environment, newest first. Scope: resources:read.',
      args: {
        type: t.arg.string({ description: 'Only those of this type.' }),
        field: t.arg({ type: FieldFilter, description: 'Only those with this value in a field.' }),
      },
      resolve: (_root, { type, field, ...args }, { domain }) => listResources(domain, args, { type, field }),
    },
    { name: 'ResourceConnection', description: 'A page of resources.' },
    { name: 'ResourceEdge' },
  ),
);

builder.mutationField('createResource', (t) =>
  t.field({
    type: ResourceNode,
    authScopes: { scope: 'resources:write' },
    description: 'Creates a resource. The log tells of it as resource.created. Scope: resources:write.',
    args: { input: t.arg({ type: CreateResourceInput, required: true, description: 'The resource.' }) },
    resolve: (_root, { input }, { domain }) => createResource(domain, input),
  }),
);

builder.mutationField('updateResource', (t) =>
  t.field({
    type: ResourceNode,
    authScopes: { scope: 'resources:write' },
    description:
      'Changes the fields that are given. The log tells of it as resource.updated, unless nothing changed. Scope: resources:write.',
    args: {
      id: t.arg.id(ID_ARG),
      input: t.arg({ type: UpdateResourceInput, required: true, description: 'The change.' }),
      ifMatch: t.arg.string(IF_MATCH_ARG),
    },
    resolve: (_root, { id, input, ifMatch }, { domain }) => updateResource(domain, { id, ifMatch }, input.fields),
  }),
);

builder.mutationField('deleteResource', (t) =>
  t.field({
    type: ResourceNode,
    authScopes: { scope: 'resources:write' },
    description:
      'Deletes a resource, and answers it as it was. The log tells of it as resource.deleted. Scope: resources:write.',
    args: { id: t.arg.id(ID_ARG), ifMatch: t.arg.string(IF_MATCH_ARG) },
    resolve: (_root, args, { domain }) => deleteResource(domain, args),
  }),
);
