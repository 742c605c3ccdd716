import { isIP } from 'node:net';
import { formatCount } from '../contract/quantities.ts';

/** The values that a variable accepts. */
export interface Format<Value> {
  /** Completes the error message "NAME must be …". */
  readonly accepts: string;
  /** Returns undefined for text that is not accepted. */
  readonly parse: (text: string) => Value | undefined;
}

export const text = (accepts: string, isValid: (text: string) => boolean = () => true): Format<string> => ({
  accepts,
  parse: (value) => (isValid(value) ? value : undefined),
});

export const choice = <const Choice extends string>(...choices: readonly Choice[]): Format<Choice> => ({
  accepts: `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`,
  parse: (value) => choices.find((one) => one === value),
});

export const wholeNumber = (min: number, max: number): Format<number> => ({
  accepts: `a whole number from ${min} to ${formatCount(max)}`,
  parse: (value) => (/^\d{1,9}$/.test(value) && +value >= min && +value <= max ? +value : undefined),
});

const hasProtocol = (value: string, protocols: readonly string[]) =>
  URL.canParse(value) && protocols.includes(new URL(value).protocol);

/** A part of a URL that a variable can reject: the service would drop it from its requests or links. */
type UrlPart = 'username' | 'password' | 'pathname' | 'search' | 'hash';

const webUrl = (accepts: string, ...rejected: readonly UrlPart[]): Format<string> => ({
  accepts,
  parse(value) {
    if (!hasProtocol(value, ['http:', 'https:'])) return undefined;
    const parts = new URL(value);
    const isBare = rejected.every((part) => parts[part] === '' || (part === 'pathname' && parts[part] === '/'));
    return isBare ? value.replace(/\/+$/, '') : undefined;
  },
});

const CREDENTIALS = ['username', 'password'] as const;

/** Paths are appended to it. */
export const httpUrl = webUrl(
  'an http or https URL without a user name, a query and a fragment',
  ...CREDENTIALS,
  'search',
  'hash',
);

/** Like `https://example.com/v1?api-version=1`: the query stays at the end of each request's URL. */
export const urlWithQuery = webUrl('an http or https URL without a user name and a fragment', ...CREDENTIALS, 'hash');

/** The pages refer to their files by paths from the root of the host. */
export const siteUrl = webUrl(
  'an http or https URL of a host, without a path: give the service a host name of its own',
  ...CREDENTIALS,
  'pathname',
  'search',
  'hash',
);

export const url = (example: string, ...protocols: readonly string[]) =>
  text(`a URL like ${example}`, (value) => hasProtocol(value, protocols));

/** Express takes a number of proxies, or addresses. */
export const trustedProxies: Format<number | string> = {
  accepts:
    'the number of proxies, 1 to 10, or a comma-separated list of addresses and ranges, like 10.0.0.0/8, loopback, linklocal or uniquelocal',
  parse(value) {
    if (/^([1-9]|10)$/.test(value)) return Number(value);
    return value.split(',').every(isAddressRange) ? value : undefined;
  },
};

const NAMED_RANGES = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isAddressRange(value: string): boolean {
  const [address = '', bits, ...rest] = value.trim().split('/');
  if (NAMED_RANGES.has(address) && bits === undefined) return true;
  const maxBits = { 4: 32, 6: 128 }[isIP(address)];
  if (maxBits === undefined || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits);
}

/** A number from 0 to 1. */
export const share: Format<number> = {
  accepts: 'a number from 0 to 1',
  parse: (value) => (/^(0|1|0?\.\d{1,9})$/.test(value) ? Number(value) : undefined),
};

/** The format of OpenTelemetry: names and percent-encoded values. */
export const headerList: Format<Readonly<Record<string, string>>> = {
  accepts: 'a list like name=value,other=value with percent-encoded values, at most 8,192 characters',
  parse(value) {
    if (value.length > 8_192) return undefined;
    const pairs = value.split(',').map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)=([\x21-\x7e]*)\s*$/.exec(pair));
    if (pairs.includes(null)) return undefined;
    try {
      return Object.fromEntries(pairs.map((pair) => [String(pair?.[1]), decodeURIComponent(String(pair?.[2]))]));
    } catch {
      return undefined;
    }
  },
};
