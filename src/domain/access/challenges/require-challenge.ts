import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { StartChallenge } from '../../../contract/statuses.ts';
import type { Context } from '../../context.ts';
import { addressKey, countRequest, RATE_LIMITS } from '../rate-limits.ts';
import { hashToken } from '../tokens.ts';
import type { ChallengePort } from './challenge-port.ts';
import { newChallenge, solvedToken } from './proof-of-work.ts';
import { openUntil, sealUntil } from './sealed-time.ts';

/** A deployment and the challenge before its starts. */
interface Challenging {
  readonly id: string;
  readonly challenge: StartChallenge;
}

/** A pass of a visitor whose response the provider has verified. */
const PASS = 'pass.';

/**
 * Requires a solved challenge of a caller without credentials. One solution is good for several starts, from one address,
 * for a while.
 * @throws {ServiceError} challenge_required, rate_limited, unavailable
 */
export async function requireChallenge(ctx: Context, { id, challenge }: Challenging): Promise<void> {
  if (challenge === 'off' || ctx.caller.kind !== 'anonymous') return;
  const holder = `${id} ${addressKey(ctx.request.address)}`;
  const solution = ctx.request.challenge?.solution;
  const isShort = solution !== undefined && solution.length <= LIMITS.challengeSolutionLength;
  if (challenge === 'proof_of_work') {
    const token = isShort ? solvedToken(ctx.services, holder, solution, ctx.now()) : undefined;
    if (token === undefined || !(await countUse(ctx, token))) throw workRequired(ctx, holder);
    return;
  }
  const provider = requireProvider(ctx.services.ports.challenges);
  if (!isShort || !(await isAdmitted(ctx, provider, holder, solution))) throw responseRequired(provider);
}

/** Whether the token of a solution has uses left. */
async function countUse({ services }: Context, token: string): Promise<boolean> {
  return (await services.stores.rateLimiter.consume(RATE_LIMITS.challengeStarts, hashToken(token))).allowed;
}

async function isAdmitted(ctx: Context, provider: ChallengePort, holder: string, solution: string): Promise<boolean> {
  const { services, request } = ctx;
  const owner = `pass of ${holder}`;
  if (solution.startsWith(PASS)) {
    const token = solution.slice(PASS.length);
    return openUntil(services, owner, token, ctx.now()) && countUse(ctx, token);
  }
  // Each response is a request to the provider.
  const address = addressKey(request.address);
  await countRequest(services.stores.rateLimiter, RATE_LIMITS.challengeChecks, address, request.reportLimit);
  if (!(await provider.verify(solution, request.address))) return false;
  const token = sealUntil(services, owner, ctx.now());
  await countUse(ctx, token);
  request.challenge?.sendPass(PASS + token);
  return true;
}

function workRequired({ services, now }: Context, holder: string): ServiceError {
  const message =
    'This deployment needs a proof of work before a start. Find a number so that the SHA-256 of ' +
    '`TOKEN.NUMBER` begins with `challenge_difficulty` zero bits, and send this text as `Parley-Challenge`.';
  const facts = {
    challenge: 'proof_of_work',
    challenge_token: newChallenge(services, holder, now()),
    challenge_difficulty: LIMITS.challengeBits,
  };
  return new ServiceError('challenge_required', message, { facts });
}

function responseRequired({ siteKey }: ChallengePort): ServiceError {
  const message =
    'This deployment needs a solved challenge of its provider before a start. Send its response as `Parley-Challenge`.';
  return new ServiceError('challenge_required', message, {
    facts: { challenge: 'provider', challenge_site_key: siteKey },
  });
}

/** Without a provider nobody is admitted. */
function requireProvider(provider: ChallengePort | undefined): ChallengePort {
  if (provider) return provider;
  throw new ServiceError('unavailable', 'The service has no provider of challenges. Tell the operator.');
}
