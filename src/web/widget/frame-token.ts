/** The parameter in the address of a hosted page that waits for a token of its user from the page around it. */
export const IDENTIFIED = 'identified';

/** The request of a hosted page in a frame for a token of the user. Anyone can read it: it contains only a number. */
export interface TokenRequest {
  readonly type: 'parley:token-request';
  readonly id: number;
}

/** The reply of the page around the frame. */
export interface TokenReply {
  readonly type: 'parley:token';
  /** That of the request. */
  readonly id: number;
  /** Null: the user is not signed in. */
  readonly token: string | null;
  readonly expiresAt?: string | number | Date | undefined;
}

export function isTokenRequest(data: unknown): data is TokenRequest {
  const { type, id } = (data ?? {}) as Partial<Record<keyof TokenRequest, unknown>>;
  return type === 'parley:token-request' && Number.isSafeInteger(id);
}
