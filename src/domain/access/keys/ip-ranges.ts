import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The longest text of an address with a prefix length. */
const RANGE_LENGTH = 50;

/**
 * An address or a range in CIDR notation in its stored form: with a prefix length, and with no bits after the prefix.
 * Undefined if the text is neither.
 */
export function normalizedRange(text: string): string | undefined {
  if (text.length > RANGE_LENGTH) return undefined;
  const [address = '', prefix, ...rest] = text.trim().split('/');
  // The parser also accepts abbreviations such as 10.1, which people read in different ways.
  const isFull = ipaddr.IPv4.isValidFourPartDecimal(address) || (address.includes(':') && ipaddr.IPv6.isValid(address));
  if (rest.length > 0 || !isFull || address.includes('%')) return undefined;
  const parsed = ipaddr.parse(address);
  const most = parsed instanceof ipaddr.IPv4 ? 32 : 128;
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return undefined;
  const length = prefix === undefined ? most : Number(prefix);
  if (length > most) return undefined;
  return parsed instanceof ipaddr.IPv4
    ? `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/${length}`)}/${length}`
    : `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${length}`)}/${length}`;
}

/** Whether an address is in one of the ranges. Without ranges, every address is. An unknown address is in no range. */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  if (ranges.length === 0) return true;
  const parsed = addressOf(address);
  return parsed !== undefined && ranges.some((range) => matches(parsed, range));
}

/** An IPv4 address that arrives on an IPv6 socket (::ffff:192.0.2.1) is an IPv4 address. */
function addressOf(text: string): Address | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

function matches(address: Address, range: string): boolean {
  const [network, length] = ipaddr.parseCIDR(range);
  return network.kind() === address.kind() && address.match(network, length);
}
