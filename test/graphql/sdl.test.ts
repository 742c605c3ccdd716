import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  parse,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { publicSchema } from '../../src/graphql/schema/schema.ts';
import { accessOf, requireAccess } from '../../src/operation/access.ts';
import { requireCost } from '../../src/operation/document-cost.ts';
import { nodeAccessOf } from '../../src/operation/node-scope.ts';
import { planOf } from '../../src/operation/plan.ts';
import { DECLARED, type DeclaredAccess, declaredAccess, directivesOf } from '../support/declared.ts';

type Field = GraphQLField<unknown, unknown>;

const ROOTS = ['Query', 'Mutation', 'Subscription'];

/** A field of the text and the field that the service executes. */
interface Pair {
  readonly at: string;
  readonly isRoot: boolean;
  readonly declared: Field;
  readonly executed: Field;
}

const objects = Object.values(DECLARED.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
);

const pairs = objects.flatMap((type): Pair[] => {
  const executed = (publicSchema.getType(type.name) as GraphQLObjectType).getFields();
  return Object.values(type.getFields()).map((declared) => ({
    at: `${type.name}.${declared.name}`,
    isRoot: ROOTS.includes(type.name),
    declared,
    executed: executed[declared.name] as Field,
  }));
});

/** The requirements that a field checks, in the form of the declaration. */
interface Required {
  scope?: string;
  scopes?: readonly string[];
  credentials?: true;
  session?: true;
  admin?: true;
}

/** A context that records what is required of its caller. */
function recorder(required: Required) {
  return {
    requireScope(scope: string) {
      const { scope: first, ...others } = required as { readonly scope?: string };
      if (first === undefined) Object.assign(required, { scope });
      else {
        delete (required as { scope?: string }).scope;
        Object.assign(required, others, { scopes: [first, scope] });
      }
    },
    requireScopes: (scopes: readonly string[]) => void Object.assign(required, { scopes }),
    requireCaller: () => void Object.assign(required, { credentials: true }),
    requireSession: () => void Object.assign(required, { session: true }),
    requireAdministrator: () => void Object.assign(required, { admin: true }),
  } as never;
}

const expectedOf = ({ scope, scopes, members, credentials }: DeclaredAccess) => ({
  ...(scope !== undefined && { scope }),
  ...(scopes && { scopes }),
  ...(credentials && { credentials }),
  ...(members === 'session' && { session: true }),
  ...(members === 'administrator' && { admin: true }),
});

/** What a field requires before it reads anything. */
function requiredBy({ executed, isRoot }: Pair): Required {
  const required: Required = {};
  if (isRoot) requireAccess(accessOf(executed), recorder(required));
  else {
    try {
      Promise.resolve(executed.resolve?.({}, {}, recorder(required), {} as never)).catch(() => {});
    } catch {
      // The resolver fails without its source. It has checked the permission before.
    }
  }
  return required;
}

function requiredByNode(type: GraphQLObjectType): Required {
  const required: Required = {};
  requireAccess(nodeAccessOf(publicSchema.getType(type.name)), recorder(required));
  return required;
}

describe('@requiresScopes, @requiresMember and @requiresCredentials', () => {
  it('declare on every field what the service requires', () => {
    const required = pairs.map((pair) => [pair.at, requiredBy(pair), accessOf(pair.executed).runner === true]);
    const declared = pairs.map(({ at, declared: field }) => {
      const access = declaredAccess(field);
      return [at, expectedOf(access), access.anonymous];
    });
    expect(required.length).toBeGreaterThan(500);
    expect(required).toEqual(declared);
  });

  it('declare on every type what reading it as a node requires', () => {
    const required = objects.map((type) => [type.name, requiredByNode(type)]);
    expect(required).toEqual(objects.map((type) => [type.name, expectedOf(declaredAccess(type))]));
    const nodes = objects.filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'));
    expect(required.filter(([, facts]) => Object.keys(facts as object).length > 0).map(([name]) => name)).toEqual(
      nodes.map(({ name }) => name),
    );
  });

  it('protect at least the fields that are not for everyone', () => {
    const open = pairs.filter(({ isRoot, declared }) => isRoot && directivesOf(declared).requiresScopes === undefined);
    const isPublic = ({ declared }: Pair) =>
      !directivesOf(declared).requiresMember && !directivesOf(declared).requiresCredentials;
    expect(
      open
        .filter(isPublic)
        .map(({ at }) => at)
        .sort(),
    ).toEqual([
      'Mutation.acceptInvitation',
      'Mutation.completeSignIn',
      'Mutation.confirmSecondFactor',
      'Mutation.requestPasswordReset',
      'Mutation.resetPassword',
      'Mutation.signIn',
      'Mutation.startSecondFactor',
      'Query.invitationOffer',
      'Query.trigger',
      'Query.widgetMeta',
    ]);
  });
});

/** A field on the way from the root of an operation. */
interface Step {
  readonly parent: GraphQLObjectType;
  readonly field: Field;
}

/** The object types that a field can return. */
function objectsOf({ type }: Field): readonly GraphQLObjectType[] {
  const named = getNamedType(type);
  if (isObjectType(named)) return [named];
  return isCompositeType(named) ? DECLARED.getPossibleTypes(named) : [];
}

/** The shortest way to each object type. */
function waysToTypes(): Map<string, readonly Step[]> {
  const ways = new Map<string, readonly Step[]>(ROOTS.map((name) => [name, []]));
  // A loop over a map also visits the entries that it adds.
  for (const [name, way] of ways) {
    const parent = DECLARED.getType(name) as GraphQLObjectType;
    for (const field of Object.values(parent.getFields())) {
      for (const type of objectsOf(field)) if (!ways.has(type.name)) ways.set(type.name, [...way, { parent, field }]);
    }
  }
  return ways;
}

const SIZES = [undefined, 1, 7, 100];

/** A document that selects the steps, each list with this size. */
function documentOf(steps: readonly Step[], size: number | undefined): string {
  const selection = steps.reduceRight((inner, { parent, field }) => {
    const slicing = (directivesOf(field).listSize?.slicingArguments ?? []) as readonly string[];
    const value = (name: string) => (name === 'ids' ? JSON.stringify(Array.from({ length: size ?? 0 }, String)) : size);
    const args = size !== undefined && slicing[0] ? `(${slicing[0]}: ${value(slicing[0])})` : '';
    const nested = isCompositeType(getNamedType(field.type)) ? ` { ${inner || '__typename'} }` : '';
    return `... on ${parent.name} { ${field.name}${args}${nested} }`;
  }, '');
  return `${steps[0]?.parent.name.toLowerCase()} { ${selection} }`;
}

/** The cost of the steps as a reader of the schema computes it. */
function declaredCost(
  [step, ...rest]: readonly Step[],
  size: number | undefined,
  page?: { size: number; fields: unknown },
): number {
  if (!step) return 0;
  const { cost, listSize } = directivesOf(step.field);
  const extra = (cost?.weight ?? 0) as number;
  const isList = isListType(getNullableType(step.field.type));
  if (!isCompositeType(getNamedType(step.field.type))) return extra;
  const hasSlice = ((listSize?.slicingArguments ?? []) as unknown[]).length > 0;
  const own = listSize && ((hasSlice && size) || (listSize.assumedSize as number));
  const sizedFields = (listSize?.sizedFields ?? []) as readonly string[];
  const isSized = (page?.fields as readonly string[] | undefined)?.includes(step.field.name);
  const items = !isList ? 1 : isSized ? (page?.size ?? 0) : (own ?? Number.NaN);
  const next = own !== undefined && sizedFields.length > 0 ? { size: own, fields: sizedFields } : undefined;
  return extra + items * (1 + declaredCost(rest, size, next));
}

describe('@cost and @listSize', () => {
  const ways = waysToTypes();

  it('reach every object type', () => {
    expect(objects.map(({ name }) => name).filter((name) => !ways.has(name))).toEqual([]);
  });

  it.each(SIZES)('declare the cost of every field as the limit counts it, with lists of %s', (size) => {
    const costs = pairs.map(({ at, declared }) => {
      const parent = DECLARED.getType(at.split('.')[0] ?? '') as GraphQLObjectType;
      const steps = [...(ways.get(parent.name) ?? []), { parent, field: declared }];
      return { at, counted: countedCost(documentOf(steps, size)), declared: declaredCost(steps, size) };
    });
    expect(costs.filter(({ counted, declared }) => counted !== declared)).toEqual([]);
    expect(new Set(costs.map(({ counted }) => counted)).size).toBeGreaterThan(10);
  });
});

function countedCost(text: string): number {
  const document = parse(text);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error(text);
  return requireCost(planOf(publicSchema, document, operation), {}, Number.POSITIVE_INFINITY).requested;
}

describe('@specifiedBy', () => {
  const scalars = Object.values(DECLARED.getTypeMap()).filter(
    (type) => isScalarType(type) && !isSpecifiedScalarType(type),
  );

  it.each(scalars)('is on the scalar $name, as in the schema', (scalar) => {
    if (!isScalarType(scalar)) throw new Error(scalar.name);
    expect(new URL(scalar.specifiedByURL ?? '').protocol).toMatch(/^https?:$/);
    expect(publicSchema.getType(scalar.name)).toMatchObject({ specifiedByURL: scalar.specifiedByURL });
  });
});
