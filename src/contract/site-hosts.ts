const SCHEME = /^[a-z][a-z0-9+.-]{0,30}:\/\//i;

const PORT = /:\d{0,5}$/;

/** The limit of the domain name system. */
const MAX_HOST_LENGTH = 253;

/** Labels of at most 63 letters, digits and hyphens. */
const HOST_NAME = /^(?!.{254})[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** The URL parser writes every form of an IPv4 address like this. */
const IPV4 = /^\d+(\.\d+){3}$/;

/** Only if a dot remains. Otherwise `www.com` would become `com` and match every .com host. */
const LEADING_WWW = /^(www\.)+(?=[^.]+\.)/;

/**
 * Normalizes the host of an address, or a bare host name, for comparison: lower case, Punycode, without scheme, port,
 * path, trailing dot and leading `www.`. Returns undefined if it is not a host name or IPv4 address. The length is checked
 * before parsing, because parsing thousands of labels takes seconds.
 * @example
 * normalizeHost('https://WWW.Bücher.example:8443/shop'); // 'xn--bcher-kva.example'
 */
export function normalizeHost(address: string): string | undefined {
  const text = address.trim().replace(SCHEME, '');
  const end = text.search(/[/?#\\]/);
  const host = (end === -1 ? text : text.slice(0, end)).replace(PORT, '').replace(/\.$/, '');
  if (host.length > MAX_HOST_LENGTH || /[@:]/.test(host)) return undefined;
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  const name = url?.hostname ?? '';
  // The URL parser reads `1.2.3` as 1.2.0.3. That is almost certainly a mistake.
  if (!HOST_NAME.test(name) || (IPV4.test(name) && name !== host)) return undefined;
  return name.replace(LEADING_WWW, '');
}

/** The normalized host of an origin or page address. Undefined for the origin `null` of a sandboxed page. */
export function hostOfPage(page: string): string | undefined {
  return SCHEME.test(page) ? normalizeHost(page) : undefined;
}

/** Whether a host is in an allowlist, or is a subdomain of an entry. An empty list contains no host. */
export function isListedHost(allowlist: readonly string[], host: string): boolean {
  return allowlist.some((entry) => host === entry || host.endsWith(`.${entry}`));
}
