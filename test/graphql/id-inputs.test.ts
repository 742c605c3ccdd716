import { getNamedType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { publicSchema } from '../../src/graphql/schema/schema.ts';
import { isNode } from '../../src/operation/node-scope.ts';

const inputs = Object.values(publicSchema.getTypeMap()).flatMap((type) => {
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map((field) => ({ ...field, at: `${type.name}.${field.name}` }));
  }
  if (!isObjectType(type) || type.name.startsWith('__')) return [];
  return Object.values(type.getFields()).flatMap(({ name, args }) =>
    args.map((argument) => ({ ...argument, at: `${type.name}.${name}(${argument.name}:)` })),
  );
});

describe('an argument or input field named id', () => {
  const ids = inputs.filter(({ name, at }) => name === 'id' && at !== 'Query.node(id:)');

  it.each(ids)('$at accepts the global ID of a node type', ({ type, extensions }) => {
    expect(getNamedType(type).name).toBe('ID');
    expect(isNode(publicSchema.getType(String(extensions.idOf)))).toBe(true);
  });

  it('exists', () => expect(ids.length).toBeGreaterThan(10));
});

describe('a field named id', () => {
  it('is the global ID of a node, on every type', () => {
    const others = Object.values(publicSchema.getTypeMap()).filter(
      (type) =>
        (isObjectType(type) || isInterfaceType(type)) &&
        type.getFields().id &&
        type.name !== 'Node' &&
        !type.getInterfaces().some(({ name }) => name === 'Node'),
    );
    expect(others.map(({ name }) => name)).toEqual([]);
  });
});
