import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { isLoopbackAddress, isPrivateName, isPublicAddress, literalAddressOf } from './address.ts';
import { GuardedFetchError } from './guarded-fetch-error.ts';

/** Returns all addresses of a host name. */
export type ResolveName = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface GuardSettings {
  /** Also allows addresses of this machine: for tests, and if the operator allows webhooks to loopback. */
  readonly allowLoopback?: boolean | undefined;
  /** Replaces the resolver of the system. */
  readonly resolveName?: ResolveName | undefined;
}

/** Decides which addresses the service sends requests to. */
export interface Guard {
  /** Parses a URL. Makes all checks that need no lookup. @throws {GuardedFetchError} */
  parseUrl(url: string | URL): URL;
  /** Returns all addresses of a host name, if every one is allowed. @throws {GuardedFetchError} */
  resolve(hostname: string): Promise<readonly LookupAddress[]>;
  /** `resolve` for sockets, so a socket connects only to an address that was checked. */
  readonly lookup: LookupFunction;
}

const resolveBySystem = promisify(systemLookup);

export const NOT_PUBLIC = 'The address is not public.';

export function createGuard({ allowLoopback = false, resolveName = resolveAll }: GuardSettings): Guard {
  const isAllowed = (address: string) => isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));
  const resolve = async (hostname: string) => {
    if (isPrivateName(hostname)) throw new GuardedFetchError('refused', NOT_PUBLIC);
    const addresses = await resolveName(hostname).catch((cause: unknown) => {
      // The same error as for a private address. Another error would show which names a private network has.
      throw new GuardedFetchError('refused', NOT_PUBLIC, cause);
    });
    // One private address is enough to reject the name, because the socket can choose any address.
    if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) {
      throw new GuardedFetchError('refused', NOT_PUBLIC);
    }
    return addresses;
  };
  return {
    parseUrl(text) {
      const url = parseHttpUrl(text);
      // Sockets do not call `lookup` for an IP address, so it is checked here.
      const literal = literalAddressOf(url);
      if (literal !== undefined && !isAllowed(literal)) throw new GuardedFetchError('refused', NOT_PUBLIC);
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

function parseHttpUrl(text: string | URL): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new GuardedFetchError('refused', 'The address must be an http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new GuardedFetchError('refused', 'The address must not contain a user name or password.');
  }
  return url;
}
