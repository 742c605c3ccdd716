/** A message to an address. */
export interface OutgoingMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The time limit until the status of the response. */
  readonly timeoutMs: number;
  /** Bytes of the decompressed response that are read. */
  readonly maxBytes: number;
  /** The time limit for the start of the response's body, after the status. */
  readonly bodyTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Called when the status arrives. */
  readonly onStatus: () => void;
}

/** The head of a response and the start of its body. */
export interface PostResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether the body is longer, or did not end in time. */
  readonly isCut: boolean;
}

/** The response, or a problem that is safe to show. `isRefused`: nothing was sent. */
export type PostOutcome = PostResponse | { readonly problem: string; readonly isRefused: boolean };

/** A request to an address. */
export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The time limit until the end of the response. */
  readonly timeoutMs: number;
  /** The size limit of the decompressed response. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The response, or a problem that is safe to show. */
export type RequestOutcome =
  | {
      readonly status: number;
      /** By lower-case name. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  | { readonly problem: string };

/** Sends requests to addresses that workspaces configure. Implemented in `src/outbound`. */
export interface AddressPort {
  /**
   * Returns why the service does not send requests to an address, in words that are safe to show. Undefined if it does.
   */
  problemOf(url: string): Promise<string | undefined>;
  /**
   * Follows no redirects, and reads only the start of the response.
   * @throws the reason of the message's signal, and nothing else
   */
  post(url: string, message: OutgoingMessage): Promise<PostOutcome>;
  /**
   * Sends a request and reads the response. It follows redirects of GET requests, without their headers to another
   * origin.
   * @throws the reason of the signal, and nothing else
   */
  request(url: string, request: OutgoingRequest): Promise<RequestOutcome>;
}
