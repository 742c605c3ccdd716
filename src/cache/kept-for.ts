/** Returns the same result for so many milliseconds. Calls at the same time read once. */
export function keptFor<Result>(
  ms: number,
  monotonicMs: () => number,
  read: () => Promise<Result>,
): () => Promise<Result> {
  let latest: { readonly result: Promise<Result>; readonly atMs: number } | undefined;
  return () => {
    const now = monotonicMs();
    if (!latest || now - latest.atMs >= ms) latest = { result: read(), atMs: now };
    return latest.result;
  };
}
