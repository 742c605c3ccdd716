import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../contract/errors.ts';
import { addressKey } from '../operation/rate-limits.ts';

const KIB = 1024;
const SECONDS = 60;

/** The bytes that one IP address moves in a minute. Each process counts on its own, so that counting costs no statement. */
export class AddressTraffic {
  readonly #moved: string;
  readonly #bytes: RateLimiterMemory;

  /** `verb` and `what` complete the sentence "Your address has … 64 MiB of … within a minute". */
  constructor(mib: number, verb: string, what: string) {
    this.#moved = `${verb} ${mib} MiB of ${what}`;
    this.#bytes = new RateLimiterMemory({ points: mib * KIB, duration: SECONDS });
  }

  /** Counts bytes before they are moved. @throws {ServiceError} rate_limited */
  async count(address: string, bytes: number): Promise<void> {
    try {
      await this.#bytes.consume(addressKey(address), Math.ceil(bytes / KIB));
    } catch (refused) {
      const { msBeforeNext } = refused as RateLimiterRes;
      const seconds = Math.ceil(msBeforeNext / 1_000);
      const message = `Your address has ${this.#moved} within a minute. Try again in ${seconds} s.`;
      throw new ServiceError('rate_limited', message, { retryAfterMs: msBeforeNext });
    }
  }

  /** Counts bytes that nobody knew before they were moved. */
  async add(address: string, bytes: number): Promise<void> {
    await this.#bytes.penalty(addressKey(address), Math.ceil(bytes / KIB));
  }
}
