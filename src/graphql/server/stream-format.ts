import type { StreamItem } from '../../operation/subscription-results.ts';

/** How the results of a subscription are written to its response. */
export interface StreamFormat {
  readonly mediaType: string;
  readonly contentType: string;
  /** The first bytes. */
  readonly begin: Buffer;
  readonly heartbeat: Buffer;
  encode(item: StreamItem): Buffer;
  /** The last bytes. A stream without them is broken. */
  readonly end: Buffer;
}
