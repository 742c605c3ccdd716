import { type GraphQLObjectType, getNamedType, isAbstractType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { internalSchema as schema } from '../../src/graphql/schema/schema.ts';
import { type Access, accessOf } from '../../src/operation/access.ts';
import { isNode, nodeAccessOf } from '../../src/operation/node-scope.ts';

const objects = Object.values(schema.getTypeMap()).filter(isObjectType);

/** Fields that lead to a node with less than its own permission, by the reason. */
const OWN: Readonly<Record<string, string>> = {
  'ConnectedApp.member': 'a member reads only their own apps',
  'SavedView.member': 'a member reads only their own views',
  'Session.user': 'a member reads only their own sessions',
};

/** The permissions that one of these grants. */
function permissionsOf(...granted: readonly Access[]): ReadonlySet<string> {
  return new Set(
    granted.flatMap(({ scope, scopes = [], session, administrator }) => [
      ...(scope ? [scope] : []),
      ...scopes,
      ...(administrator ? ['administrator', 'session'] : []),
      ...(session ? ['session'] : []),
    ]),
  );
}

/** The nodes that a field leads to, also as a connection. */
function nodesOf(type: GraphQLObjectType, name: string): readonly GraphQLObjectType[] {
  const field = type.getFields()[name];
  const named = field && getNamedType(field.type);
  if (isAbstractType(named)) return schema.getPossibleTypes(named).filter(isNode);
  if (!isObjectType(named)) return [];
  if (isNode(named)) return [named];
  return named.name.endsWith('Connection') ? nodesOf(named, 'nodes') : [];
}

/** The fields of a node that lead to another node whose permission neither the node nor the field demands. */
function openFields(type: GraphQLObjectType): string[] {
  return Object.values(type.getFields()).flatMap((field) => {
    const access = accessOf(field);
    const has = permissionsOf(nodeAccessOf(type), access);
    // An owner or admin reads everything.
    if (access.administrator || `${type.name}.${field.name}` in OWN) return [];
    const missing = nodesOf(type, field.name).flatMap((node) => {
      const lacks = [...permissionsOf(nodeAccessOf(node))].filter((permission) => !has.has(permission));
      return lacks.length > 0 ? [`${node.name} needs ${lacks.join()}`] : [];
    });
    return missing.length > 0 ? [`${type.name}.${field.name} has no \`access\`, but ${missing.join(', ')}`] : [];
  });
}

describe('A field from one node to another', () => {
  it('demands the permission of the other node', () => {
    const nodes = objects.filter(isNode);
    expect(nodes.length).toBeGreaterThan(20);
    expect(nodes.flatMap(openFields)).toEqual([]);
  });

  it('is an exception only while it leads to a node', () => {
    const led = Object.keys(OWN).filter((path) => {
      const [name, field = ''] = path.split('.');
      const type = schema.getType(name ?? '');
      return isObjectType(type) && nodesOf(type, field).length > 0;
    });
    expect(led).toEqual(Object.keys(OWN));
  });
});
