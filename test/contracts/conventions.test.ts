import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { publicSchema } from '../../src/graphql/schema/schema.ts';

const types = Object.values(publicSchema.getTypeMap()).filter((type) => !isIntrospectionType(type));
const PAGING = ['first', 'after', 'last', 'before', 'filter', 'orderBy'];

const fields = types.flatMap((type) =>
  isObjectType(type) || isInterfaceType(type)
    ? Object.values(type.getFields()).map((field) => ({ at: `${type.name}.${field.name}`, field }))
    : [],
);

const inputs = types.flatMap((type) =>
  isInputObjectType(type)
    ? Object.values(type.getFields()).map((field) => ({ at: `${type.name}.${field.name}`, field }))
    : [],
);

/** Whether a description lists the values of a text, like "start, delta or done.". */
const listsValues = (text: string | null | undefined) =>
  /\bone of [a-z_.:]+,|^[a-z_.]+(, [a-z_.]+)* or [a-z_.]+\.?$/.test(text ?? '');

describe('the public schema', () => {
  it('names all values of enums in upper case', () => {
    const values = types.flatMap((type) => (isEnumType(type) ? type.getValues().map(({ name }) => name) : []));
    expect(values.length).toBeGreaterThan(100);
    expect(values.filter((name) => !/^[A-Z][A-Z0-9_]*$/.test(name))).toEqual([]);
  });

  it('has no text whose description lists its values', () => {
    const texts = [...fields, ...inputs].filter(({ field }) => getNamedType(field.type).name === 'String');
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter(({ field }) => listsValues(field.description)).map(({ at }) => at)).toEqual([]);
    expect(listsValues('start, delta or done.')).toBe(true);
  });

  it('filters and sorts every list by filter and orderBy', () => {
    const lists = fields.filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'));
    expect(lists.length).toBeGreaterThan(15);
    const others = lists.flatMap(({ at, field }) =>
      field.args.flatMap(({ name }) => (PAGING.includes(name) ? [] : [`${at}(${name}:)`])),
    );
    expect(others).toEqual([]);
  });
});
