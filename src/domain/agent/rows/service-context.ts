import { randomUUID } from 'node:crypto';
import { callerContext, UNLIMITED } from '../../access/caller-context.ts';
import type { EnvironmentRef } from '../../caller.ts';
import type { Context, Services } from '../../context.ts';

/** The context of work that no request waits for. `requestId` is the request that started or resumed the run, if it is about one. */
export function serviceContext(
  services: Services,
  environment: EnvironmentRef,
  requestId: string = randomUUID(),
): Context {
  const request = { id: requestId, address: '', userAgent: undefined, claim: undefined, reportLimit() {} };
  return callerContext(
    { request, services, now: () => new Date(), newId: randomUUID },
    { kind: 'service', id: 'queue', tokenHash: '', environment, scopes: new Set(), limits: UNLIMITED },
  );
}
