/** Whoever reads a reply as it is made. */
export interface Reader {
  /** Takes a piece of the text; the model waits until it is taken. */
  onText(delta: string): Promise<void>;
  /** Aborted when the reader goes away: then the turn stops, and keeps what was written. */
  readonly gone: AbortSignal;
}
