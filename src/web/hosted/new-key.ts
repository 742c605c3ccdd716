/** An idempotency key of the page's own making. crypto.randomUUID is there on secure pages alone; this is everywhere. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
