import type { PublicContext } from '../../../context.ts';
import { type ConnectionRequest, deploymentOf, readWaiting, requestUnknown } from '../../apps/decisions.ts';
import { type OfferedSignIn, offeredSignIn } from '../offered-sign-in.ts';

/** A request of an app that waits for the decision of an end user. */
export interface EndUserRequest {
  readonly request: ConnectionRequest;
  readonly offered: OfferedSignIn;
}

/**
 * The request, if it is for a deployment that still offers sign-in. The ID is the proof: it is in a cookie of the browser.
 * @throws {ServiceError} not_found
 */
export async function requireEndUserRequest(open: PublicContext, requestId: string): Promise<EndUserRequest> {
  const request = await readWaiting(open, requestId);
  const resource = request && deploymentOf(open, request);
  const offered = resource && (await offeredSignIn(open.services, resource));
  if (!request || !offered) throw requestUnknown();
  return { request, offered };
}
