import type { GraphQLField } from 'graphql';

/** What MCP clients need to know about a tool before they run it. */
export interface Annotations {
  readonly isReadOnly: boolean;
  /** It can replace or remove data. */
  readonly isDestructive: boolean;
  /** A repetition changes nothing more. */
  readonly isIdempotent: boolean;
  /** It reaches systems outside of the service. */
  readonly isOpenWorld: boolean;
}

const annotations = (isReadOnly: boolean, isDestructive: boolean, isIdempotent: boolean, isOpenWorld = false) => ({
  ...{ isReadOnly, isDestructive, isIdempotent, isOpenWorld },
});

/** What a call of a root field does. */
export const EFFECTS = {
  reads: annotations(true, false, true),
  /** Creates something, and replaces nothing. */
  adds: annotations(false, false, false),
  /** Replaces something. Each call can have another result. */
  changes: annotations(false, true, false),
  /** Brings something to a state, however often it is called. */
  sets: annotations(false, true, true),
  removes: annotations(false, true, true),
  /** Lets an agent act with its tools, or sends something to others. */
  acts: annotations(false, true, false, true),
} as const satisfies Readonly<Record<string, Annotations>>;

export type Effect = keyof typeof EFFECTS;

/**
 * Whether documents can be published with a root field, and its effect. `never`: it is about administrators, sessions,
 * members or credentials. A document runs with the permissions of its caller, but another member writes it.
 */
export type Publishing = Effect | 'never';

/** The mark of a root field. A field without one is not published, and counts as the worst. */
export function publishingOf({ extensions }: Pick<GraphQLField<unknown, unknown>, 'extensions'>): Publishing {
  return (extensions.publishing as Publishing | undefined) ?? 'never';
}

/** The effect of a root field for annotations. */
function effectOf(field: GraphQLField<unknown, unknown>): Effect {
  const publishing = publishingOf(field);
  return publishing === 'never' ? 'acts' : publishing;
}

/** The annotations of an operation with these root fields. */
export function annotationsOf(fields: readonly GraphQLField<unknown, unknown>[]): Annotations {
  const all = fields.map((field) => EFFECTS[effectOf(field)]);
  return {
    isReadOnly: all.every(({ isReadOnly }) => isReadOnly),
    isDestructive: all.some(({ isDestructive }) => isDestructive),
    isIdempotent: all.every(({ isIdempotent }) => isIdempotent),
    isOpenWorld: all.some(({ isOpenWorld }) => isOpenWorld),
  };
}
