/** A message to an address. */
export interface OutgoingMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For all of it, to the status of the answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What an address answered, or why there is no answer, in words that may be shown. */
export type PostOutcome = { readonly status: number } | { readonly problem: string };

/** The way to addresses that workspaces write down. Implemented in `src/outbound`. */
export interface AddressPort {
  /** Why this service does not go to an address, in words that may be shown; undefined where it does. */
  problemOf(url: string): Promise<string | undefined>;
  /**
   * Follows no redirect, and reads nothing of the answer but its status.
   * @throws the reason of the message's signal, and nothing else
   */
  post(url: string, message: OutgoingMessage): Promise<PostOutcome>;
}
