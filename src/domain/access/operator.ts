import { SCOPES } from '../../contract/scopes.ts';
import type { EnvironmentRef, OperatorCaller } from '../caller.ts';
import type { Context, PublicContext } from '../context.ts';
import { callerContext, UNLIMITED } from './caller-context.ts';

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
  return callerContext(operator, operatorCaller(operator, environment));
}
