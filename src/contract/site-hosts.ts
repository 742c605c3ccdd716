/** Whether a host is in an allowlist, or is a subdomain of an entry. An empty list contains no host. */
export function isListedHost(allowlist: readonly string[], host: string): boolean {
  return allowlist.some((entry) => host === entry || host.endsWith(`.${entry}`));
}
