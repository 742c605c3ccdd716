import { hash } from 'node:crypto';
import { print } from 'graphql';
import type { Variables } from '../input.ts';
import type { OperationPlan } from '../plan.ts';

/** Most requests have no variables, so the digest of their document is their key. */
const digests = new WeakMap<OperationPlan, string>();

/** The same for all documents that differ only in white space and comments, as the schema never changes. */
export function introspectionKey(plan: OperationPlan, variables: Variables): string {
  const digest = digests.get(plan) ?? digestOf([plan.operation.name?.value, print(plan.document)]);
  digests.set(plan, digest);
  return Object.keys(variables).length === 0 ? digest : digestOf([digest, variables]);
}

function digestOf(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
