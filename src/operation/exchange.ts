/** The attributes of a `Set-Cookie` header. */
export interface CookieOptions {
  readonly httpOnly: boolean;
  readonly sameSite: 'strict' | 'lax';
  readonly secure: boolean;
  readonly path: string;
  readonly expires?: Date;
}

/** An HTTP request and the headers of its response, independent of the web framework. */
export interface Exchange {
  /** The `x-request-id`. */
  readonly requestId: string;
  /** The client's IP address. X-Forwarded-For counts only from proxies that TRUST_PROXY names. */
  readonly address: string;
  readonly method: string;
  /** Whether the request is for the GraphQL API. */
  readonly isGraphql: boolean;
  /** Whether the body is declared as JSON. */
  readonly isJson: boolean;
  header(name: string): string | undefined;
  /** Every value of a header, because a client or proxy can repeat it. The name is lower case. */
  headerValues(name: string): readonly string[];
  setHeader(name: string, value: string): void;
  setCookie(name: string, value: string, options: CookieOptions): void;
  clearCookie(name: string, options: CookieOptions): void;
  /**
   * Calls back once, when the response has been handed to the system or the client is gone. `size` is that of its JSON in
   * bytes, before compression.
   */
  onEnd(callback: (size: number) => void): void;
}
