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

/** What an address is asked. */
export interface Question {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For all of it, to the end of the answer. */
  readonly timeoutMs: number;
  /** Of the answer, decompressed. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** What was answered, or why there is no answer, in words that may be shown. */
export type AskOutcome =
  | {
      readonly status: number;
      /** By lower-case name. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  | { readonly problem: string };

/** The way to addresses that workspaces write down. Implemented in `src/outbound`. */
export interface AddressPort {
  /** Why this service does not go to an address, in words that may be shown; undefined where it does. */
  problemOf(url: string): Promise<string | undefined>;
  /**
   * Follows no redirect, and reads nothing of the answer but its status.
   * @throws the reason of the message's signal, and nothing else
   */
  post(url: string, message: OutgoingMessage): Promise<PostOutcome>;
  /**
   * Asks for an answer. Redirects of a GET are followed, without its headers to another origin; others are answers.
   * @throws the reason of the question's signal, and nothing else
   */
  ask(url: string, question: Question): Promise<AskOutcome>;
}
