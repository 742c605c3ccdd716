/**
 * The milliseconds that a header Retry-After asks to wait: whole seconds, or an HTTP date (RFC 9110, section 10.2.3). 0 for
 * other texts and for dates that have passed.
 */
export function retryAfterMs(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // Dates start with the day of the week. The obsolete form of asctime has no zone.
  if (!/^[A-Z][a-z]/.test(text)) return 0;
  const at = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? 0 : Math.max(at - now.getTime(), 0);
}
