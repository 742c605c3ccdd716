import ipaddr from 'ipaddr.js';

/** All IPv6 addresses that are allocated for public use. Special ranges inside it are recognized by `range()`. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Addresses that look public but lead to the host of a cloud machine. The metadata services of other clouds have
 * link-local, shared or unique-local addresses, for example 169.254.169.254, 100.100.100.200 and fd00:ec2::254.
 */
const CLOUD_HOSTS = [
  // Azure: DNS, DHCP and the settings of the agent, which contain certificates.
  '168.63.129.16/32',
  // IBM Cloud: service networks that only its machines can reach.
  '161.26.0.0/16',
  '166.8.0.0/14',
].map((range) => ipaddr.IPv4.parseCIDR(range));

/** Names of metadata services. They are rejected without a lookup. */
const METADATA_NAMES = new Set(['metadata.goog', 'metadata.packet.net', 'metadata.platformequinix.com']);

/** Domains that are reserved for private networks. They include `metadata.google.internal`. */
const PRIVATE_NAME = /(^|\.)(internal|local|localdomain|home\.arpa)$/;

/** IPv6 ranges that end in the IPv4 destination: IPv4-mapped addresses and NAT64. */
const IPV4_IN_IPV6 = ['::ffff:0:0/96', '64:ff9b::/96'].map((range) => ipaddr.IPv6.parseCIDR(range));

/** Whether an address belongs to the public internet. False if the text is not an address. */
export function isPublicAddress(text: string): boolean {
  const address = parse(text);
  if (address?.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_UNICAST);
  return !CLOUD_HOSTS.some((range) => address.match(range));
}

/** Whether a host name belongs to a private network or to a cloud's metadata service. */
export function isPrivateName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return METADATA_NAMES.has(name) || PRIVATE_NAME.test(name);
}

/** Whether an address is this machine itself. */
export function isLoopbackAddress(text: string): boolean {
  return parse(text)?.range() === 'loopback';
}

/** The IP address in a URL. Undefined if the host is a name. */
export function literalAddressOf({ hostname }: URL): string | undefined {
  const text = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(text) ? text : undefined;
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  const containsIpv4 = address instanceof ipaddr.IPv6 && IPV4_IN_IPV6.some((range) => address.match(range));
  return containsIpv4 ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : address;
}
