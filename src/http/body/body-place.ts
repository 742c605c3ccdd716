import { LIMITS } from '../../contract/limits.ts';
import { AddressPlaces, type LeavePlace } from '../../operation/address-places.ts';

const places = new AddressPlaces(
  () => ({ places: LIMITS.strangerBodies, bytesPerSecond: LIMITS.strangerBodyBytesPerSecond }),
  'Your address sends too many large bodies at the same time. Send fewer or smaller ones, and files as uploads.',
);

/** The place of a large body of a stranger. Small bodies need no place. */
export class BodyPlace {
  readonly #address: string;
  #entered: Promise<LeavePlace> | undefined;

  constructor(address: string) {
    this.#address = address;
  }

  /** Takes the place if so many bytes need one, and returns whether the caller must wait for it. */
  needs(bytes: number): boolean {
    if (this.#entered || bytes <= LIMITS.strangerBodyBytes) return false;
    this.#entered = places.enter(this.#address);
    return true;
  }

  /** Waits for the place. @throws {ServiceError} rate_limited */
  async wait(): Promise<void> {
    await this.#entered;
  }

  /** Leaves the place, or the queue for it. */
  leave(bytes: number): void {
    // The request has failed with the error.
    this.#entered?.then((leave) => leave(bytes)).catch(() => {});
  }
}
