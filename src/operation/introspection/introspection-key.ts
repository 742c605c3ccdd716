import { createHash } from 'node:crypto';
import { print } from 'graphql';
import type { Variables } from '../input.ts';
import type { OperationPlan } from '../plan.ts';

const texts = new WeakMap<OperationPlan, string>();

/** The same for all documents that differ only in white space and comments, as the schema never changes. */
export function introspectionKey(plan: OperationPlan, variables: Variables): string {
  const text = texts.get(plan) ?? print(plan.document);
  texts.set(plan, text);
  const parts = JSON.stringify([plan.operation.name?.value, variables, text]);
  return createHash('sha256').update(parts).digest('base64url');
}
