import { SCOPES } from '../../contract/scopes.ts';
import { scopedDb } from '../../db/scoped.ts';
import type { EnvironmentRef, OperatorCaller } from '../caller.ts';
import type { Context, PublicContext } from '../context.ts';

const UNLIMITED = { requestsPerMinute: null, environmentPerMinute: null, concurrentRuns: null };

/** The operator at the command line. `name` identifies them in the audit log. */
export interface Operator extends PublicContext {
  readonly name: string;
}

/** The operator as a caller of an environment. They have every scope, because they control the database. */
export function operatorCaller({ name }: Operator, environment: EnvironmentRef): OperatorCaller {
  return { kind: 'operator', id: name, tokenHash: '', environment, scopes: new Set(SCOPES), limits: UNLIMITED };
}

/** The context of domain functions that the operator calls. */
export function operatorContext(operator: Operator, environment: EnvironmentRef): Context {
  const { services, request, now, newId } = operator;
  const db = scopedDb(services.prisma, environment);
  const sql = services.sql.within(environment);
  return { caller: operatorCaller(operator, environment), environment, db, sql, request, services, now, newId };
}
