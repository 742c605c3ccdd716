import { GraphQLError } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import {
  type Admission,
  admitAnonymous,
  findVisitor,
  type Origin,
  type RunnerAddress,
} from '../domain/access/anonymous.ts';
import { unauthorized } from '../domain/access/authenticate.ts';
import { RATE_LIMITS } from '../domain/access/rate-limits.ts';
import type { Caller } from '../domain/caller.ts';
import type { Services } from '../domain/context.ts';
import { publishedJson } from '../domain/workflows/deployments.ts';
import { isWrite, requireAccess } from './access.ts';
import { type ContextParts, createContext, type OperationContext } from './context.ts';
import { visitorOf } from './cookies.ts';
import type { Exchange } from './exchange.ts';
import type { OperationPlan, RootField } from './plan.ts';

/** Finds the IDs that a root field addresses. */
type AddressOf = (field: RootField) => RunnerAddress;

/**
 * Decides the final caller and checks the permission for every root field. It runs before the input is validated, so that
 * a caller without permission learns nothing from the input's errors (WIRE 3).
 * @throws {GraphQLError} for the first root field that is not allowed
 */
export async function authorize(
  parts: Omit<ContextParts, 'authorized'>,
  plan: OperationPlan,
  addressOf: AddressOf,
): Promise<OperationContext> {
  const origin = originOf(parts);
  const runner = plan.rootFields.find(({ access }) => access.runner);
  const admission = runner && (await at(runner, () => admit(parts, runner, addressOf(runner), origin)));
  const identity = admission
    ? { caller: admission.caller, isCookie: false, deployment: admission.deployment }
    : parts.identity;
  const authorized = new Set<string>();
  const context = createContext({ ...parts, identity, authorized });
  for (const root of plan.rootFields) {
    try {
      // Only an anonymous caller's second root field waits for a statement. Every other check is synchronous.
      if (!admission || !root.access.runner) requireAccess(root.access, context);
      else if (root !== runner) await requireSame(parts.services, admission, addressOf(root), origin);
    } catch (error) {
      throw locatedAt(root, error);
    }
    authorized.add(root.name);
  }
  return context;
}

function originOf({ services, exchange }: { readonly services: Services; readonly exchange: Exchange }): Origin {
  return {
    page: exchange.header('origin') ?? exchange.header('referer'),
    visitorOf: (deploymentId) => visitorOf(services, exchange, deploymentId),
  };
}

/** Admits a caller without credentials, or a member who uses a deployment's hosted page as a visitor. */
async function admit(
  { services, identity, counter }: Omit<ContextParts, 'authorized'>,
  root: RootField,
  address: RunnerAddress,
  origin: Origin,
): Promise<Admission | undefined> {
  const { caller, isCookie } = identity;
  if (caller) {
    const visitor = isCookie ? await findVisitor(services.sql, address, origin, publishedJson) : undefined;
    return visitor && actsAsVisitor(caller, root, visitor) ? visitor : undefined;
  }
  const admission = await admitAnonymous(services.sql, address, origin, publishedJson);
  // The limits of admitted callers replace the limit of all requests without credentials.
  await counter.giveBackByAddress(RATE_LIMITS.withoutCredentials);
  const { conversationId } = address;
  await counter.countAnonymous(admission.caller, { isRead: !isWrite(root.access), conversationId });
  await counter.countCaller(admission.caller);
  return admission;
}

/** Members act as visitors if the deployment is in another workspace, or if their role lacks the scope. */
function actsAsVisitor({ scopes, environment }: Caller, { access }: RootField, visitor: Admission): boolean {
  const isScoped = access.scope !== undefined && scopes.has(access.scope);
  return !isScoped || environment.workspaceId !== visitor.caller.environment.workspaceId;
}

/** A request without credentials can address only one deployment. */
async function requireSame(
  services: Services,
  { caller }: Admission,
  address: RunnerAddress,
  origin: Origin,
): Promise<void> {
  const other = await admitAnonymous(services.sql, address, origin, publishedJson);
  const isSame = other.caller.id === caller.id && other.caller.environment.id === caller.environment.id;
  if (!isSame) throw unauthorized();
}

async function at<T>(root: RootField, decide: () => Promise<T>): Promise<T> {
  try {
    return await decide();
  } catch (error) {
    throw locatedAt(root, error);
  }
}

/** Adds the root field to an error. */
function locatedAt({ node }: RootField, error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const path = [(node.alias ?? node.name).value];
  return new GraphQLError(error.message, { nodes: node, path, originalError: error });
}
