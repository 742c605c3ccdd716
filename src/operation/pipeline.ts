import type { JwtAddress } from '../domain/access/end-users/jwt-rules.ts';
import { RATE_LIMITS } from '../domain/access/rate-limits.ts';
import type { Services } from '../domain/context.ts';
import { authorize } from './authorize.ts';
import type { OperationContext } from './context.ts';
import { requireCost } from './document-cost.ts';
import type { Exchange } from './exchange.ts';
import { executeOperation } from './execute.ts';
import { type Claimed, claimKey, storedResult } from './idempotency.ts';
import { identify, identifyUnbound } from './identify.ts';
import { coerceVariables, type Variables } from './input.ts';
import { mask } from './mask.ts';
import type { OpenRequest, OperationRequest } from './operation-request.ts';
import { type Outcome, rejection, replayOutcome, responseMeta } from './outcome.ts';
import { addressOf, type OperationPlan, planOf, type RootField } from './plan.ts';
import { isStranger, RequestCounter, reportLimit } from './rate-limits.ts';
import { ReadPlaces } from './read-places.ts';
import { SharedExecutions } from './shared-executions.ts';
import { requireStorableLiterals } from './storable-text.ts';
import { storeStream } from './stored-stream.ts';
import { StreamCaps } from './stream-caps.ts';
import { openSubscription } from './subscribe.ts';
import type { Describe } from './subscription-results.ts';

/** Limits from the service's configuration. */
export interface PipelineRules {
  /** Time limit of a query in milliseconds. */
  readonly timeoutMs: number;
  readonly maxCost: number;
}

interface SubscribeOptions {
  readonly claimed: Extract<Claimed, { kind: 'claim' }> | undefined;
  readonly describe: Describe;
  /** Whether the caller's open streams include this one already. */
  readonly isCounted: boolean;
}

/**
 * The stages of every operation, for all transports: `open` identifies the caller, `run` executes the operation. Each stage
 * decides something once. Later stages do not change it.
 */
export class Pipeline {
  readonly services: Services;
  readonly streamCaps = new StreamCaps();
  readonly #rules: PipelineRules;
  readonly #executions = new SharedExecutions();
  readonly #reads = new ReadPlaces();

  constructor(services: Services, rules: PipelineRules) {
    this.services = services;
    this.#rules = rules;
  }

  /**
   * The stages before the document is read. `deploymentId` is the deployment in the path, if there is one.
   * @throws {ServiceError} unauthorized, invalid_request, origin_not_allowed, rate_limited
   */
  async open(exchange: Exchange, deploymentId?: string): Promise<OpenRequest> {
    const { services } = this;
    const { requestId, address } = exchange;
    const facts = {
      id: requestId,
      address,
      userAgent: exchange.header('user-agent'),
      claim: undefined,
      challenge: {
        solution: exchange.header('parley-challenge'),
        sendPass: (pass: string) => exchange.setHeader('Parley-Challenge', pass),
      },
      reportLimit: reportLimit(exchange),
    };
    const counter = new RequestCounter(services, facts);
    // Stage 1: identify the caller. An invalid credential costs only one SQL statement.
    const identity = await identify(services, exchange, counter, deploymentId);
    // Stage 2: apply rate limits, before any work that grows with the request.
    if (identity.caller) await counter.countCaller(identity.caller);
    else await counter.countByAddress(RATE_LIMITS.withoutCredentials);
    if (identity.caller) services.stores.credentialUse.record(identity.caller, facts);
    return { services, exchange, counter, facts, identity };
  }

  /**
   * Decides the workspace of a JWT that several workspaces may accept, by what the operation names. Other requests have
   * their caller. It is verified once, with a bounded number of keys.
   * @throws {ServiceError} unauthorized, invalid_request, unavailable, rate_limited
   */
  async bind(opened: OpenRequest, address: JwtAddress = {}): Promise<OpenRequest> {
    const { unbound } = opened.identity;
    if (!unbound) return opened;
    const { services, counter, facts } = opened;
    const identity = await identifyUnbound(services, counter, unbound, address);
    await counter.countCaller(identity.caller);
    // The limits of the caller replace the limit of all requests without credentials.
    await counter.giveBackByAddress(RATE_LIMITS.withoutCredentials);
    services.stores.credentialUse.record(identity.caller, facts);
    return { ...opened, identity };
  }

  /** The stages of an operation. Errors are part of the outcome. Only errors of the transport are thrown. */
  run(opened: OpenRequest, request: OperationRequest): Promise<Outcome> {
    const { tracing } = this.services.process;
    const { operation } = request;
    if (!tracing) return this.#run(opened, request);
    const facts = { kind: operation.operation, name: operation.name?.value };
    return tracing.operation(facts, () => this.#run(opened, request));
  }

  async #run(opened: OpenRequest, request: OperationRequest): Promise<Outcome> {
    const { requestId } = opened.exchange;
    const describe = this.#describe(requestId, request);
    const plan = planOf(request.schema, request.document, request.operation);
    try {
      return await this.#stages(opened, request, plan, describe);
    } catch (error) {
      return { kind: 'result', result: rejection(plan, describe(error)), requestId };
    }
  }

  async #stages(
    opened: OpenRequest,
    request: OperationRequest,
    plan: OperationPlan,
    describe: Describe,
  ): Promise<Outcome> {
    // Stage 3: limit the document's cost. Parsing has limited its size and depth. The cost depends on the variables.
    if (!request.isOwn) {
      const cost = requireCost(plan, request.variables(), this.#rules.maxCost);
      request.reportCost?.(cost);
    }
    if (plan.kind === 'subscription') request.requireStream?.();
    // Stage 4: authorize the root fields, so that input errors reveal nothing to callers without permission.
    const addressIn = (root: RootField) => request.address ?? addressOf(root, request.variables());
    const bound = await this.bind(opened, opened.identity.unbound && firstAddress(plan, addressIn));
    const parts = { ...bound, throwsErrors: request.throwsErrors ?? request.isOwn };
    const context = await authorize(parts, plan, addressIn);
    // Stage 5: validate and convert the input.
    const variables = await this.#validInput(context, request, plan);
    request.streamPlace?.take(this.streamCaps, context);
    // Stage 6: claim the idempotency key, or replay the stored response. Only authorized and valid requests get here.
    const claimed = await claimKey(context, plan, request);
    if (claimed?.kind === 'replay') return replayOutcome(claimed, plan, describe);
    // Stage 7: execute or subscribe. Stage 8: store the response with the idempotency key.
    if (plan.kind === 'subscription') {
      const claim = claimed?.kind === 'claim' ? claimed : undefined;
      const isCounted = request.streamPlace !== undefined;
      return this.#subscribe(context, plan, variables, { claimed: claim, describe, isCounted });
    }
    if (plan.kind === 'query' && isStranger(context.caller)) await this.#reads.enter(opened.exchange);
    const rules = { timeoutMs: this.#rules.timeoutMs, isOwn: request.isOwn, describe };
    const result = await executeOperation(plan, variables, context, rules);
    if (claimed?.kind === 'claim') {
      const response = { ...responseMeta(context), kind: 'result', result: storedResult(result) } as const;
      await claimed.end(response, context.returnedErrors[0]);
    }
    return { kind: 'result', result, requestId: context.requestId };
  }

  async #validInput(context: OperationContext, request: OperationRequest, plan: OperationPlan): Promise<Variables> {
    try {
      if (!request.isOwn) requireStorableLiterals(plan.document);
      return coerceVariables(plan.schema, plan.operation, request.variables(), request.style);
    } catch (error) {
      context.requireInReach();
      await request.requirePath?.(context);
      throw error;
    }
  }

  async #subscribe(
    context: OperationContext,
    plan: OperationPlan,
    variables: Variables,
    { claimed, describe, isCounted }: SubscribeOptions,
  ): Promise<Outcome> {
    const { requestId } = context;
    let leave = () => {};
    try {
      // The cap on open streams per caller.
      if (!isCounted) leave = this.streamCaps.enter(context.caller, context.open.request.address);
      const parts = { executions: this.#executions, describe, leave };
      const opened = await openSubscription(plan, variables, context, parts);
      if (opened.kind === 'stream') {
        const results = claimed
          ? storeStream(opened.results, claimed, { ...responseMeta(context), describe })
          : opened.results;
        return { kind: 'stream', results, requestId, describe };
      }
      const errors = opened.result.errors?.map(describe) ?? [];
      await claimed?.end({ ...responseMeta(context), kind: 'result', result: storedResult({ errors }) });
      return { kind: 'result', result: { errors }, requestId };
    } catch (error) {
      leave();
      await claimed?.release(describe(error));
      throw error;
    }
  }

  #describe(requestId: string, { nameField }: Pick<OperationRequest, 'nameField'>): Describe {
    const { log } = this.services.process;
    return (error) => mask(error, { log, requestId, nameField });
  }
}

/** What the first root field names that names something. */
function firstAddress(
  { rootFields }: OperationPlan,
  addressIn: (root: RootField) => JwtAddress,
): JwtAddress | undefined {
  return rootFields.map(addressIn).find(({ deploymentId, conversationId }) => deploymentId || conversationId);
}
