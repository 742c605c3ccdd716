import ipaddr from 'ipaddr.js';

/** All of IPv6 that is given out for the public; what lies in it and is not public has a range of its own. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** What ends in the IPv4 address that is reached, which alone says where a packet goes: mapped ones, and NAT64's. */
const IPV4_INSIDE = ['::ffff:0:0/96', '64:ff9b::/96'].map((range) => ipaddr.IPv6.parseCIDR(range));

/** Whether an address belongs to the public internet. What cannot be read as an address does not. */
export function isPublicAddress(text: string): boolean {
  const address = parse(text);
  return address?.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST));
}

/** Whether an address is this machine itself. */
export function isLoopbackAddress(text: string): boolean {
  return parse(text)?.range() === 'loopback';
}

/** The address of a URL's host that is an IP literal; undefined for a name. */
export function literalAddressOf({ hostname }: URL): string | undefined {
  const text = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(text) ? text : undefined;
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  const hidesIpv4 = address instanceof ipaddr.IPv6 && IPV4_INSIDE.some((range) => address.match(range));
  return hidesIpv4 ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : address;
}
