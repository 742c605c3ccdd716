import { GraphQLError } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import {
  type Admission,
  admitAnonymous,
  findVisitor,
  type Origin,
  type RunnerAddress,
} from '../domain/access/anonymous.ts';
import { RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { reachOf } from '../domain/access/reach.ts';
import { notPublic } from '../domain/access/unauthorized.ts';
import type { Caller } from '../domain/caller.ts';
import type { Services } from '../domain/context.ts';
import { conversationNotFound } from '../domain/conversations/reads.ts';
import { publishedJson } from '../domain/workflows/deployments.ts';
import { isWrite, requireAccess } from './access.ts';
import { type ContextParts, createContext, type OperationContext } from './context.ts';
import { visitorOf } from './cookies.ts';
import type { Exchange } from './exchange.ts';
import type { OperationPlan, RootField } from './plan.ts';
import type { RequestCounter } from './rate-limits.ts';
import { findOutOfReach } from './reach.ts';

/** Finds the IDs that a root field addresses. */
type AddressOf = (field: RootField) => RunnerAddress;

/**
 * Decides the final caller and checks the permission for every root field. It runs before the input is validated, so that
 * a caller without permission learns nothing from the input's errors.
 * @throws {GraphQLError} for the first root field that is not allowed
 */
export async function authorize(
  parts: Omit<ContextParts, 'authorized' | 'outOfReach'>,
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
  const outOfReach = new Map<string, ServiceError>();
  const context = createContext({ ...parts, identity, authorized, outOfReach });
  const bound = boundCaller(context);
  for (const root of plan.rootFields) {
    // Only callers without credentials and bound callers can wait for a statement. Every other check is synchronous.
    if (admission && root.access.runner) {
      const admitted = await at(root, async () =>
        root === runner ? admission : admitSame(parts, admission, root, addressOf(root), origin),
      );
      closeOwned(root, admitted, outOfReach);
    } else if (bound) {
      const missing = await at(root, () => findOutOfReach(parts.services, bound, root, addressOf));
      // The resolver fails with it, because each kind of operation reports an unknown ID in its own way.
      if (missing) outOfReach.set(responseKeyOf(root), missing);
    } else requireAccessAt(root, context);
    authorized.add(root.name);
  }
  return context;
}

/** Callers without credentials must not know the conversation of an end user. */
function closeOwned(root: RootField, { isOwned }: Admission, outOfReach: Map<string, ServiceError>): void {
  if (isOwned) outOfReach.set(responseKeyOf(root), conversationNotFound());
}

function boundCaller({ caller }: OperationContext): Caller | undefined {
  return caller && reachOf(caller) ? caller : undefined;
}

function requireAccessAt(root: RootField, context: OperationContext): void {
  try {
    requireAccess(root.access, context);
  } catch (error) {
    throw locatedAt(root, error);
  }
}

function originOf({ services, exchange }: { readonly services: Services; readonly exchange: Exchange }): Origin {
  return {
    page: exchange.header('origin') ?? exchange.header('referer'),
    visitorOf: (deploymentId) => visitorOf(services, exchange, deploymentId),
  };
}

/** Admits a caller without credentials, or a member who uses a deployment's hosted page as a visitor. */
async function admit(
  { services, identity, counter }: Omit<ContextParts, 'authorized' | 'outOfReach'>,
  root: RootField,
  address: RunnerAddress,
  origin: Origin,
): Promise<Admission | undefined> {
  const { caller, isCookie } = identity;
  if (caller) {
    const visitor = isCookie ? await findVisitor(services.stores.sql, address, origin, publishedJson) : undefined;
    return visitor && actsAsVisitor(caller, root, visitor) ? visitor : undefined;
  }
  const admission = await admitAnonymous(services.stores.sql, address, origin, publishedJson);
  await countField(counter, admission, root, address);
  await counter.countCaller(admission.caller);
  // The limits of admitted callers replace the limit of all requests without credentials. It keeps those that they refuse:
  // after some hundreds of them, no body of the address is read.
  await counter.giveBackByAddress(RATE_LIMITS.withoutCredentials);
  return admission;
}

/** Each root field counts like a request of its own. */
function countField(
  counter: RequestCounter,
  { caller }: Admission,
  { access }: RootField,
  { conversationId }: RunnerAddress,
): Promise<void> {
  return counter.countAnonymous(caller, { isRead: !isWrite(access), conversationId });
}

/** Members act as visitors if the deployment is in another workspace, or if their role lacks the scope. */
function actsAsVisitor({ scopes, environment }: Caller, { access }: RootField, visitor: Admission): boolean {
  const isScoped = access.scope !== undefined && scopes.has(access.scope);
  return !isScoped || environment.workspaceId !== visitor.caller.environment.workspaceId;
}

/** A request without credentials can address only one deployment. */
async function admitSame(
  { services, identity, counter }: Omit<ContextParts, 'authorized' | 'outOfReach'>,
  { caller }: Admission,
  root: RootField,
  address: RunnerAddress,
  origin: Origin,
): Promise<Admission> {
  const other = await admitAnonymous(services.stores.sql, address, origin, publishedJson);
  if (!identity.caller) await countField(counter, other, root, address);
  const isSame = other.caller.id === caller.id && other.caller.environment.id === caller.environment.id;
  if (!isSame) throw notPublic();
  return other;
}

async function at<T>(root: RootField, decide: () => Promise<T>): Promise<T> {
  try {
    return await decide();
  } catch (error) {
    throw locatedAt(root, error);
  }
}

function responseKeyOf({ node }: Pick<RootField, 'node'>): string {
  return (node.alias ?? node.name).value;
}

/** Adds the root field to an error. */
function locatedAt({ node }: RootField, error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const path = [responseKeyOf({ node })];
  return new GraphQLError(error.message, { nodes: node, path, originalError: error });
}
