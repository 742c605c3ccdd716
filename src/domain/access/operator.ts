import { SCOPES } from '../../contract/scopes.ts';
import { scopedDb } from '../../db/scoped.ts';
import type { Context, EnvironmentRef, OperatorCaller, PublicContext } from '../context.ts';

const UNLIMITED = { requestsPerMinute: null, environmentPerMinute: null, concurrentRuns: null };

/** Whoever runs the service and works at its command line. `name` is what the audit log knows them by. */
export interface Operator extends PublicContext {
  readonly name: string;
}

/** The operator in an environment: with every scope, because the database is theirs. */
export function operatorCaller({ name }: Operator, environment: EnvironmentRef): OperatorCaller {
  return { kind: 'operator', id: name, tokenHash: '', environment, scopes: new Set(SCOPES), limits: UNLIMITED };
}

/** What the domain's functions are given when the operator calls them. */
export function operatorContext(operator: Operator, environment: EnvironmentRef): Context {
  const { services, request, now, newId } = operator;
  const db = scopedDb(services.prisma, environment);
  return { caller: operatorCaller(operator, environment), environment, db, request, services, now, newId };
}
