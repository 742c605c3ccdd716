/** A Redis that says nothing holds nobody up for longer: its connection is given up, and the next one tried. */
const SILENT_MS = 2_000;

/** What every connection to Redis is opened with. It is connected by whoever opens it, and goes on trying by itself. */
export const REDIS_OPTIONS = { lazyConnect: true, socketTimeout: SILENT_MS } as const;
