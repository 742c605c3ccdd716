import { deploymentOfPath } from '../../contract/apps/deployment-resource.ts';
import { ServiceError } from '../../contract/errors.ts';
import { type OfferedSignIn, requireOffered } from '../../domain/access/end-users/offered-sign-in.ts';
import { unauthorized } from '../../domain/access/unauthorized.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Exchange } from '../exchange.ts';
import type { OpenRequest } from '../operation-request.ts';
import type { Pipeline } from '../pipeline.ts';

/** The address of a request. */
export interface Place {
  readonly opened: OpenRequest;
  /** The deployment whose end users have the address. Undefined: it is that of members and keys. */
  readonly offered: OfferedSignIn | undefined;
}

/**
 * Opens a request. Without the sign-in of end users, the address of a deployment does not exist, whatever the credentials are.
 * The limits of requests apply before that is looked up.
 * @throws {ServiceError} not_found, and those of `Pipeline.open`
 */
export async function openPlace(pipeline: Pipeline, exchange: Exchange, path: string): Promise<Place> {
  if (path === '/mcp') return { opened: await pipeline.open(exchange), offered: undefined };
  const { services } = pipeline;
  try {
    const opened = await pipeline.open(exchange, deploymentOfPath(path)?.deploymentId);
    return { opened, offered: await requireOffered(services, path) };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthorized') await requireOffered(services, path);
    throw error;
  }
}

/**
 * The token of an app works only at the address that its person allowed, and nobody but its end users at that of a deployment.
 * @throws {ServiceError} unauthorized, so that an app asks for a token for this address
 */
export function requireAt({ offered }: Place, caller: Caller): void {
  if (!offered) {
    if (caller.kind === 'end_user' && caller.app) throw unauthorized();
    return;
  }
  const isOwn = caller.kind === 'end_user' && caller.deploymentIds.includes(offered.deployment.id);
  if (!isOwn || caller.environment.id !== offered.environment.id) throw unauthorized();
}
