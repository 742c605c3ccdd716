import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';

/** A part of the schema that can have a description, with its schema coordinate. */
export interface Member {
  readonly at: string;
  readonly name: string;
  readonly description?: string | null | undefined;
}

type Described = Omit<Member, 'at'>;

/** Every type, field, argument, input field, enum value and directive that the service defines. */
export function membersOf(schema: GraphQLSchema): Member[] {
  const directives = schema.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
  const own = directives.map((directive) => ({ ...directive, at: `@${directive.name}` }));
  return [...typesOf(schema).flatMap(membersOfType), ...own];
}

function typesOf(schema: GraphQLSchema): GraphQLNamedType[] {
  return Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
}

function membersOfType(type: GraphQLNamedType): Member[] {
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

/** A type that a member of the schema names. */
interface Reference {
  readonly at: string;
  readonly type: GraphQLNamedType;
}

/** The types that the schema's operations, fields, arguments, input fields, unions and types with interfaces name. */
export function referencesOf(schema: GraphQLSchema): Reference[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const ofTypes = typesOf(schema).flatMap((type): Reference[] => {
    if (isUnionType(type)) return type.getTypes().map((member) => ({ at: type.name, type: member }));
    if (isInputObjectType(type)) {
      return Object.values(type.getFields()).map((field) => reference(`${type.name}.${field.name}`, field));
    }
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    const ofFields = Object.values(type.getFields()).flatMap((field) => {
      const at = `${type.name}.${field.name}`;
      return [reference(at, field), ...field.args.map((argument) => reference(`${at}(${argument.name}:)`, argument))];
    });
    return [...type.getInterfaces().map((one) => ({ at: type.name, type: one })), ...ofFields];
  });
  return [...roots.flatMap((type) => (type ? [{ at: 'schema', type }] : [])), ...ofTypes];
}

function reference(at: string, { type }: { readonly type: Parameters<typeof getNamedType>[0] }): Reference {
  return { at, type: getNamedType(type) as GraphQLNamedType };
}

/** Types that no member names. A type that implements an interface that a member names counts as named. */
export function unreferencedTypes(schema: GraphQLSchema): string[] {
  const named = new Set(referencesOf(schema).map(({ type }) => type.name));
  return typesOf(schema)
    .filter((type) => {
      const interfaces = isObjectType(type) || isInterfaceType(type) ? type.getInterfaces() : [];
      return ![type, ...interfaces].some(({ name }) => named.has(name));
    })
    .map(({ name }) => name);
}
