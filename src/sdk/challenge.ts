import { callOption, type ParleyError } from './error.ts';

/** A challenge of a provider that a deployment demands before a start. */
export interface ProviderChallenge {
  /** The public key that the provider's script needs. */
  readonly siteKey: string;
}

/** Shows the challenge of a provider, and returns the provider's response. */
export type ChallengeSolver = (challenge: ProviderChallenge) => Promise<string>;

const HEADER = 'parley-challenge';

/** Digests that are computed at the same time. */
const BATCH = 512;

/** Solves the challenges of a deployment, and keeps the solution for the next starts. */
export class Challenges {
  readonly #solve: ChallengeSolver | undefined;
  #solution: string | undefined;

  constructor(solve: ChallengeSolver | undefined) {
    this.#solve = solve;
  }

  headers(): Readonly<Record<string, string>> {
    return this.#solution === undefined ? {} : { [HEADER]: this.#solution };
  }

  /** Keeps the pass that replaces a provider's response. */
  remember({ headers }: Pick<Response, 'headers'>): void {
    this.#solution = headers.get(HEADER) ?? this.#solution;
  }

  /** Solves the challenge of an error. False if the error is another one, or this client cannot solve it. */
  async solve({ code, details }: ParleyError, signal: AbortSignal | undefined): Promise<boolean> {
    if (code !== 'challenge_required') return false;
    this.#solution = await this.#solutionOf(details, signal);
    return this.#solution !== undefined;
  }

  async #solutionOf(details: ParleyError['details'], signal: AbortSignal | undefined): Promise<string | undefined> {
    const { challenge, challenge_token: token, challenge_difficulty: bits, challenge_site_key: siteKey } = details;
    if (challenge === 'provider') {
      return callOption('challenge_failed', 'solveChallenge', () => this.#solve?.({ siteKey: String(siteKey) }));
    }
    if (typeof token !== 'string' || typeof bits !== 'number') return undefined;
    return proofOfWork(token, bits, signal);
  }
}

/** Undefined if the page has no SubtleCrypto, which needs https. */
async function proofOfWork(token: string, bits: number, signal: AbortSignal | undefined): Promise<string | undefined> {
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (!subtle) return undefined;
  const encoder = new TextEncoder();
  for (let first = 0; !signal?.aborted; first += BATCH) {
    const texts = Array.from({ length: BATCH }, (_, index) => `${token}.${first + index}`);
    const digests = await Promise.all(texts.map((text) => subtle.digest('SHA-256', encoder.encode(text))));
    const solved = digests.findIndex((digest) => new DataView(digest).getUint32(0) >>> (32 - bits) === 0);
    if (solved >= 0) return texts[solved];
  }
  return undefined;
}
