import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type SelectionNode,
} from 'graphql';
import { headerOf, keyOf } from './documents.ts';
import type { Route } from './route.ts';

/** Where the types and fragments of a selection are defined. */
export interface Definitions {
  readonly schema: GraphQLSchema;
  readonly fragments: Route['fragments'];
}

export type Selections = readonly SelectionNode[];

/** The subfields of a field in the body. */
export function subfieldsOf(nodes: readonly FieldNode[]): Selections {
  return inBody(nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []));
}

/** Without the fields that are sent as headers. */
function inBody(selections: Selections): Selections {
  return selections.filter((selection) => selection.kind !== Kind.FIELD || headerOf(selection) === undefined);
}

/** If a selection is a single fragment, the document has a named schema for the fragment. */
export function sharedFragment(
  type: GraphQLCompositeType,
  [only, ...others]: Selections,
  { fragments }: Definitions,
): FragmentDefinitionNode | undefined {
  if (only?.kind !== Kind.FRAGMENT_SPREAD || others.length > 0) return undefined;
  const fragment = fragments.get(only.name.value);
  return fragment?.typeCondition.name.value === type.name ? fragment : undefined;
}

export function onlyField(type: GraphQLObjectType, selections: Selections, definitions: Definitions) {
  const [nodes, ...others] = selectedFields(type, selections, definitions).values();
  const field = nodes && others.length === 0 ? type.getFields()[nodes[0]?.name.value ?? ''] : undefined;
  return nodes && field && { nodes, field };
}

export function isSpread(node: FieldNode): boolean {
  return hasDirective(node, 'spread');
}

/** Whether the field is left out of the response if it is null. */
export function isOptional(node: FieldNode): boolean {
  return hasDirective(node, 'optional');
}

function hasDirective({ directives }: FieldNode, directive: string): boolean {
  return directives?.some(({ name }) => name.value === directive) ?? false;
}

/** The selected fields of an object type, by their names in the response. */
export function selectedFields(
  type: GraphQLObjectType,
  selections: Selections,
  definitions: Definitions,
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const visit = (inner: Selections): void => {
    for (const selection of inBody(inner)) {
      if (selection.kind === Kind.FIELD) {
        const key = keyOf(selection);
        fields.set(key, [...(fields.get(key) ?? []), selection]);
        continue;
      }
      const spread = selection.kind === Kind.FRAGMENT_SPREAD;
      const fragment = spread ? definitions.fragments.get(selection.name.value) : selection;
      if (fragment && appliesTo(fragment.typeCondition?.name.value, type, definitions.schema)) {
        visit(fragment.selectionSet.selections);
      }
    }
  };
  visit(selections);
  return fields;
}

function appliesTo(condition: string | undefined, type: GraphQLObjectType, schema: GraphQLSchema): boolean {
  if (condition === undefined || condition === type.name) return true;
  const named = schema.getType(condition);
  return isAbstractType(named) && schema.isSubType(named, type);
}
