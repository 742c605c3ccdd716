import {
  type ArgumentNode,
  astFromValue,
  type DirectiveNode,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printSchema,
  printType,
} from 'graphql';
import { type AppliedDirective, directivesOfField, directivesOfType } from './applied-directives.ts';

/** Text after the definition of a type or field: its directives. */
export interface Annotations {
  ofType(type: GraphQLObjectType): string;
  ofField(field: GraphQLField<unknown, unknown>, parent: GraphQLObjectType): string;
}

/** The directives that the service enforces. */
export function enforced(schema: GraphQLSchema): Annotations {
  return {
    ofType: (type) => textOf(schema, directivesOfType(type)),
    ofField: (field, parent) => textOf(schema, directivesOfField(field, parent)),
  };
}

/** Text to insert at a position. */
interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** The schema as text, sorted, so that the order of the code does not matter. graphql-js prints no directives of its own. */
export function printSdl(schema: GraphQLSchema, annotations: Annotations = enforced(schema)): string {
  return withDirectives(`${printSchema(lexicographicSortSchema(schema))}\n`, schema, annotations);
}

/** One type as text. Its members are in the order of the code. */
export function printTypeSdl(type: GraphQLNamedType, schema: GraphQLSchema): string {
  return withDirectives(printType(type), schema, enforced(schema));
}

function withDirectives(text: string, schema: GraphQLSchema, annotations: Annotations): string {
  const insertions = parse(text).definitions.flatMap((node) =>
    node.kind === Kind.OBJECT_TYPE_DEFINITION ? insertionsOf(schema, node, annotations) : [],
  );
  let end = text.length;
  const pieces: string[] = [];
  for (const { at, text: inserted } of insertions.sort((a, b) => b.at - a.at)) {
    pieces.unshift(inserted, text.slice(at, end));
    end = at;
  }
  return text.slice(0, end) + pieces.join('');
}

function insertionsOf(schema: GraphQLSchema, node: ObjectTypeDefinitionNode, annotations: Annotations): Insertion[] {
  const type = schema.getType(node.name.value);
  if (!isObjectType(type)) return [];
  const head = node.interfaces?.at(-1) ?? node.name;
  const fields = type.getFields();
  return [
    { at: endOf(head), text: annotations.ofType(type) },
    ...(node.fields ?? []).flatMap((field) => {
      const own = fields[field.name.value];
      return own ? { at: endOf(field), text: annotations.ofField(own, type) } : [];
    }),
  ];
}

function endOf({ loc }: Pick<FieldDefinitionNode, 'loc'>): number {
  if (!loc) throw new Error('The printed schema was parsed without locations.');
  return loc.end;
}

function textOf(schema: GraphQLSchema, directives: readonly AppliedDirective[]): string {
  return directives.map((directive) => ` ${print(nodeOf(schema, directive))}`).join('');
}

/** @throws {Error} if the schema does not define the directive or an argument */
function nodeOf(schema: GraphQLSchema, { name, args }: AppliedDirective): DirectiveNode {
  const definition = schema.getDirective(name);
  const nodes = Object.entries(args).map(([argument, value]): ArgumentNode => {
    const type = definition?.args.find((candidate) => candidate.name === argument)?.type;
    const node = type && astFromValue(value, type);
    if (!node) throw new Error(`The schema defines no @${name}(${argument}:).`);
    return { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: argument }, value: node };
  });
  return { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: name }, arguments: nodes };
}
