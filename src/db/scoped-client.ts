import { Prisma, type PrismaClient } from './generated/client.ts';
import type { Scope } from './scope.ts';
import { inScope } from './scoped-pool.ts';

/** Restricts the arguments of an operation on a model. */
export type Narrow = (model: string, operation: string, args: object) => object;

interface Operation {
  readonly model?: string | undefined;
  readonly operation: string;
  /** Prisma creates a new object for each operation. */
  readonly args: object;
  readonly query: (args: object) => Promise<unknown>;
}

/**
 * A client whose statements and transactions all run in the scope, so PostgreSQL restricts them. The adapter of `base`
 * must use `scopedPool`.
 */
export function scopedClient(base: PrismaClient, scope: Scope, narrow: Narrow): PrismaClient {
  const query = {
    $allOperations: ({ model, operation, args, query }: Operation) =>
      inScope(scope, () => query(model ? narrow(model, operation, args) : args)),
  };
  const client = base.$extends({ query, model: { $allModels: UNBATCHED } }) as unknown as PrismaClient;
  const transaction = client.$transaction;
  const value = (...args: unknown[]) => inScope(scope, () => Reflect.apply(transaction, client, args));
  return Object.defineProperty(client, '$transaction', { value });
}

interface Delegate {
  findFirst(args: object): unknown;
  findFirstOrThrow(args: object): unknown;
}

interface UniqueArgs {
  readonly where: Readonly<Record<string, unknown>>;
}

/**
 * Prisma batches the `findUnique` calls of one tick into one statement, even from different clients. Two environments
 * would then share a scope. Prisma never batches `findFirst`.
 */
const UNBATCHED = {
  findUnique(this: unknown, args: UniqueArgs) {
    return (Prisma.getExtensionContext(this) as Delegate).findFirst(withoutCompoundKeys(args));
  },
  findUniqueOrThrow(this: unknown, args: UniqueArgs) {
    return (Prisma.getExtensionContext(this) as Delegate).findFirstOrThrow(withoutCompoundKeys(args));
  },
};

/** A compound unique key is named after its fields: `workflowId_number: { workflowId, number }`. */
function withoutCompoundKeys(args: UniqueArgs): UniqueArgs {
  const parts = Object.entries(args.where).map(([name, value]) =>
    name.includes('_') ? (value as object) : { [name]: value },
  );
  return { ...args, where: Object.assign({}, ...parts) };
}
