import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { LIMITS } from '../contract/limits.ts';
import type { RunnerAddress } from '../domain/access/anonymous.ts';
import { type Access, accessOf, isWrite } from './access.ts';
import { isFeed, isResumable } from './feed-end.ts';
import type { Variables } from './input.ts';
import { namedId, nodeIdOf } from './node-ids.ts';
import { uuidOf } from './uuid.ts';

/** A root field that an operation selects. */
export interface RootField {
  readonly name: string;
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
  readonly access: Access;
  /** The default values of the operation's variables. */
  readonly defaults: Variables;
}

/** Facts about an operation, computed once per parsed document. */
export interface OperationPlan {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly kind: OperationTypeNode;
  readonly rootFields: readonly RootField[];
  /** Whether the operation reads the schema itself. */
  readonly isIntrospection: boolean;
  /** The document to execute. Its variables are already coerced, so their types are replaced with JSON. */
  readonly executable: DocumentNode;
  /** A subscription that a graceful shutdown does not wait for. */
  readonly isFeed: boolean;
  /** A feed whose events have cursors. */
  readonly isResumable: boolean;
  /** Whether a retry could repeat a change. */
  readonly isWrite: boolean;
  /** Whether it runs a turn, or streams a reply. */
  readonly runsTurn: boolean;
  /** Whether the response is only a turn. Then the stored turn serves as the stored response. */
  readonly isTurn: boolean;
}

/** Marks a root field that returns a turn. */
export type TurnExtensions = { readonly isTurn: true };

const plans = new WeakMap<OperationDefinitionNode, OperationPlan>();

export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationPlan {
  const existing = plans.get(operation);
  if (existing) return existing;
  const kind = operation.operation;
  const nodes = rootNodesOf(document, operation);
  const rootFields = rootFieldsOf(schema, operation, nodes);
  const plan: OperationPlan = {
    schema,
    document,
    operation,
    kind,
    rootFields,
    isIntrospection: nodes.some(({ name }) => name.value === '__schema' || name.value === '__type'),
    executable: withoutVariableTypes(document),
    isFeed: rootFields.some(({ field }) => isFeed(field)),
    isResumable: rootFields.some(({ field }) => isResumable(field)),
    isWrite:
      kind === OperationTypeNode.MUTATION ||
      (kind === OperationTypeNode.SUBSCRIPTION && rootFields.some(({ access }) => isWrite(access))),
    runsTurn: kind === OperationTypeNode.SUBSCRIPTION || rootFields.every(isTurnField),
    isTurn: rootFields.every(isTurnField) && !readsConversation(document),
  };
  plans.set(operation, plan);
  return plan;
}

function isTurnField({ field }: RootField): boolean {
  return field.extensions.isTurn === true;
}

/** A turn's conversation is read later, so the stored turn alone cannot reproduce the response. */
function readsConversation(document: DocumentNode): boolean {
  let isSelected = false;
  visit(document, {
    [Kind.FIELD]: ({ name }) => {
      isSelected ||= name.value === 'conversation';
    },
  });
  return isSelected;
}

function rootNodesOf({ definitions }: DocumentNode, { selectionSet }: OperationDefinitionNode): FieldNode[] {
  const fragments = new Map(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
  return selectedFields(selectionSet, fragments, new Set());
}

function rootFieldsOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  nodes: readonly FieldNode[],
): RootField[] {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  const defaults = defaultsOf(operation);
  return nodes.flatMap((node) => {
    const field = fields[node.name.value];
    return field ? [{ name: node.name.value, node, field, access: accessOf(field), defaults }] : [];
  });
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Variables {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );
}

function selectedFields(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  seen: Set<string>,
): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return selectedFields(selection.selectionSet, fragments, seen);
    const fragment = fragments.get(selection.name.value);
    if (!fragment || seen.has(selection.name.value)) return [];
    seen.add(selection.name.value);
    return selectedFields(fragment.selectionSet, fragments, seen);
  });
}

const ANY_VALUE: NamedTypeNode = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'JSON' } };

function withoutVariableTypes(document: DocumentNode): DocumentNode {
  return visit(document, {
    [Kind.VARIABLE_DEFINITION]: ({ kind, variable }) => ({ kind, variable, type: ANY_VALUE }),
  });
}

/** The deployment, conversation and trigger that a root field names, before its input is validated. */
export function addressOf({ field, node, defaults }: RootField, variables: Variables): RunnerAddress {
  const values = { ...defaults, ...variables };
  const named: Record<string, unknown> = {};
  const note = (input: GraphQLArgument | GraphQLInputField, value: unknown) => {
    const nodeId = nodeIdOf(input);
    const [type] = nodeId?.types ?? [];
    if (nodeId && type !== undefined && nodeId.types.length === 1) named[type] ??= namedId(value, nodeId);
  };
  for (const argument of field.args) {
    const sent = node.arguments?.find(({ name }) => name.value === argument.name)?.value;
    const value = sent && valueFromASTUntyped(sent, values);
    const type = getNamedType(argument.type);
    if (argument.name !== 'input' || !isInputObjectType(type)) note(argument, value);
    else if (isObject(value)) for (const each of Object.values(type.getFields())) note(each, value[each.name]);
  }
  return {
    deploymentId: uuidOf(named.Deployment),
    conversationId: uuidOf(named.Conversation),
    triggerId: triggerIdOf(named.Trigger),
  };
}

function isObject(value: unknown): value is Variables {
  return typeof value === 'object' && value !== null;
}

const TRIGGER_ID = new RegExp(`^[A-Za-z0-9]{${LIMITS.triggerIdLength}}$`);

export function triggerIdOf(value: unknown): string | undefined {
  return typeof value === 'string' && TRIGGER_ID.test(value) ? value : undefined;
}
