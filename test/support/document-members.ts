import {
  type DocumentNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** The schema coordinates of every type, field, argument and input field that the documents use. */
export function membersUsedBy(documents: readonly DocumentNode[], schema: GraphQLSchema): Set<string> {
  const used = new Set<string>();
  const info = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(info, {
    Field({ name }) {
      used.add(getNamedType(info.getType())?.name ?? '');
      for (const type of sharing(schema, info.getParentType())) used.add(`${type}.${name.value}`);
    },
    Argument({ name }) {
      const field = info.getFieldDef()?.name;
      for (const type of sharing(schema, info.getParentType())) used.add(`${type}.${field}(${name.value}:)`);
    },
    ObjectField: ({ name }) => void used.add(`${getNamedType(info.getParentInputType())?.name}.${name.value}`),
    VariableDefinition: ({ type }) => useInput(schema, used, getNamedType(typeFromAST(schema, type as never))?.name),
  });
  for (const document of documents) visit(document, visitor);
  return used;
}

/** A field of an interface is also the field of the types that implement it. */
function sharing(schema: GraphQLSchema, type: GraphQLCompositeType | null | undefined): string[] {
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  const implementing = isInterfaceType(type) ? schema.getImplementations(type) : { objects: [], interfaces: [] };
  const types = [type, ...type.getInterfaces(), ...implementing.objects, ...implementing.interfaces];
  return types.map(({ name }) => name);
}

/** The value of a variable comes from the client, so it can have every field of its type. */
function useInput(schema: GraphQLSchema, used: Set<string>, name = ''): void {
  const type = schema.getType(name);
  if (used.has(name) || !isInputObjectType(type)) return;
  used.add(name);
  for (const field of Object.values(type.getFields())) {
    used.add(`${name}.${field.name}`);
    useInput(schema, used, getNamedType(field.type).name);
  }
}
