/** Returns the `traceparent` of the current work. Null while tracing is off. */
export type TraceParentSource = () => string | null;

let source: TraceParentSource = () => null;

/**
 * The `traceparent` for the events of a statement, so that webhooks continue the trace of the change. The statements of
 * runs have no request context, so it comes from the process.
 */
export function currentTraceParent(): string | null {
  return source();
}

/** Sets the source for all events of this process. */
export function setTraceParentSource(next: TraceParentSource): void {
  source = next;
}
