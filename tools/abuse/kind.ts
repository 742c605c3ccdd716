import type { Attacker } from './attacker.ts';

/** What strangers can find, and what a tenant that misuses its access has. */
export interface Site {
  /** A deployment whose page is public. */
  readonly publicId: string;
  /** A key of the live environment. */
  readonly key: string;
  /** The address of a member, whose session is `session`. */
  readonly email: string;
  readonly session: string;
}

/** The worst request of a kind. */
export interface Kind {
  readonly name: string;
  /** The requests, for the table of the guide. */
  readonly about: string;
  /** Sends them until the attack is over. */
  readonly attack: (attacker: Attacker, site: Site) => Promise<unknown>;
}
