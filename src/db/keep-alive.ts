/**
 * Options of every connection to a server. Without probes, a statement that the server had received when its machine failed
 * would wait without end, and so would LISTEN. Node.js sends 10 probes, one each second, so such a connection ends after 20 s.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
