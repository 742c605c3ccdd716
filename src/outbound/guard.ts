import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { isLoopbackAddress, isPublicAddress, literalAddressOf } from './address.ts';
import { GuardedFetchError } from './guarded-fetch-error.ts';

/** All addresses of a name. */
export type ResolveName = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface GuardSettings {
  /** Lets addresses of this machine through as well: for tests, and where webhooks may go to loopback. */
  readonly allowLoopback?: boolean | undefined;
  /** In place of the system's resolver. */
  readonly resolveName?: ResolveName | undefined;
}

/** Says which addresses this service goes to. */
export interface Guard {
  /** Reads a URL and refuses what can be refused without resolving its name. @throws {GuardedFetchError} */
  readUrl(url: string | URL): URL;
  /** All addresses of a name, if every one of them may be gone to. @throws {GuardedFetchError} */
  resolve(hostname: string): Promise<readonly LookupAddress[]>;
  /** The same for sockets, so that the address connected to is one of those that were checked. */
  readonly lookup: LookupFunction;
}

const resolveBySystem = promisify(systemLookup);

const NOT_PUBLIC = 'The address is not a public one.';

export function createGuard({ allowLoopback = false, resolveName = resolveAll }: GuardSettings): Guard {
  const mayGoTo = (address: string) => isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));
  const resolve = async (hostname: string) => {
    const addresses = await resolveName(hostname).catch((cause: unknown) => {
      throw new GuardedFetchError('failed', 'The host of the address is not known.', cause);
    });
    // One private among them is reason enough: which of them a socket takes is not ours to say.
    if (addresses.length === 0 || !addresses.every(({ address }) => mayGoTo(address))) {
      throw new GuardedFetchError('refused', NOT_PUBLIC);
    }
    return addresses;
  };
  return {
    readUrl(text) {
      const url = readHttpUrl(text);
      // A socket resolves no literal, so nothing else would look at it.
      const literal = literalAddressOf(url);
      if (literal !== undefined && !mayGoTo(literal)) throw new GuardedFetchError('refused', NOT_PUBLIC);
      return url;
    },
    resolve,
    lookup(hostname, { all }, done) {
      resolve(hostname).then(
        ([first, ...others]) => {
          if (first === undefined || all) done(null, first ? [first, ...others] : []);
          else done(null, first.address, first.family);
        },
        (error: Error) => done(error, []),
      );
    },
  };
}

function resolveAll(hostname: string): Promise<readonly LookupAddress[]> {
  return resolveBySystem(hostname, { all: true });
}

function readHttpUrl(text: string | URL): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new GuardedFetchError('refused', 'The address must be an http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new GuardedFetchError('refused', 'The address must not hold a user name or password.');
  }
  return url;
}
