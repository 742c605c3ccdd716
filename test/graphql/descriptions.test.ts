import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';

/** Anything of the schema that can be described, by the address that tools give it. */
interface Member {
  readonly at: string;
  readonly name: string;
  readonly description?: string | null | undefined;
}

type Described = Omit<Member, 'at'>;

function membersOf(type: GraphQLNamedType): Member[] {
  const below = (field: Described): Member => ({
    ...field,
    description: field.description,
    at: `${type.name}.${field.name}`,
  });
  const own = { name: type.name, description: type.description, at: type.name };
  if (isEnumType(type)) return [own, ...type.getValues().map(below)];
  if (isInputObjectType(type)) return [own, ...Object.values(type.getFields()).map(below)];
  if (!isObjectType(type) && !isInterfaceType(type)) return [own];
  const fields = Object.values(type.getFields());
  return [
    own,
    ...fields.map(below),
    ...fields.flatMap(({ name, args }) =>
      args.map((argument) => ({ ...argument, at: `${type.name}.${name}(${argument.name}:)` })),
    ),
  ];
}

function everyMember(of: GraphQLSchema): Member[] {
  const types = Object.values(of.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  const directives = of.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
  return [...types.flatMap(membersOf), ...directives.map((directive) => ({ ...directive, at: `@${directive.name}` }))];
}

const letters = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');

/** What a description says once the name, and words that say nothing, are taken away. */
function saysOnlyItsName({ name, description }: Member): boolean {
  return letters((description ?? '').replace(/^(the|an?|its|their|this)\s/i, '')) === letters(name);
}

const members = everyMember(schema);

describe('what the schema says of itself', () => {
  it('is a description of every type, field, argument, input field and enum value', () => {
    expect(members.length).toBeGreaterThan(800);
    expect(members.filter(({ description }) => !description?.trim()).map(({ at }) => at)).toEqual([]);
  });

  it('is more than the name', () => {
    expect(members.filter(saysOnlyItsName).map(({ at, description }) => `${at}: ${description}`)).toEqual([]);
  });
});
