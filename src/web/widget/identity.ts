import type { Token } from '../../sdk/index.ts';

/** Returns a token of the current user, or null if nobody is signed in. */
export type UserSource = () => Token | null | Promise<Token | null>;

/** The user of the site. */
export interface Identity {
  /** Null: a visitor. */
  get(): UserSource | null;
  /**
   * Sets the user. A text works until it expires, and a function is called again before. Null signs the user out.
   * @throws {TypeError}
   */
  identify(user: unknown): void;
}

/** `onChange` is called after each change, with whether there was another user. */
export function createIdentity(onChange: (hadUser: boolean) => void): Identity {
  let given: unknown = null;
  let source: UserSource | null = null;
  return {
    get: () => source,
    identify(user = null) {
      // A page can call it again with the same function, for example after each of its own navigations.
      if (user === given) return;
      const next = sourceOf(user);
      const hadUser = source !== null;
      given = user;
      source = next;
      onChange(hadUser);
    },
  };
}

function sourceOf(user: unknown): UserSource | null {
  if (user === null) return null;
  if (typeof user === 'function') return user as UserSource;
  const isToken = typeof user === 'string' || typeof (user as { token?: unknown })?.token === 'string';
  if (!isToken) throw new TypeError('Parley.identify needs a token, a function that returns one, or null.');
  return () => user as Token;
}
