/** The limits of request bodies, before anything reads them, and of files that anybody can load. A part of `LIMITS`: read them from there. */
export const BODY_LIMITS = {
  /** Bytes of a request body. */
  bodyBytes: 10 * 1024 * 1024,
  /** Bytes of a request body on paths under /v1/runner and /v2/runner, so that an inline part fits as base64. */
  runnerBodyBytes: 12 * 1024 * 1024,
  /** Bytes to which a compressed body of a request without a valid credential can inflate. */
  strangerInflatedBytes: 64 * 1024,
  /** Seconds until the headers of a request are complete. Then the service closes the connection. */
  headersSeconds: 20,
  /** Requests of a connection that wait for the response before. One more, and the service closes the connection. */
  pipelinedRequests: 100,
  /** Seconds until a request body is complete. Then the service closes the connection. */
  bodySeconds: 60,
  /** Pieces in which a request body can arrive. */
  bodyPieces: 50_000,
  /** Bytes of unfinished request bodies per IP address and process. Those of strangers count until the response ends. */
  unfinishedAddressBytes: 64 * 1024 * 1024,
  /** Bytes of unfinished request bodies of a process. */
  unfinishedBytes: 256 * 1024 * 1024,
  /** MiB of pages, their files and contracts such as `/openapi.json` that one IP address gets from a process in a minute. */
  pageFileMib: 64,
  /** Nesting levels of the JSON in a request body. */
  jsonLevels: 200,
  /** Values of the JSON in a request body. */
  jsonValues: 200_000,
  /** Keys of all objects of the JSON in a request body. */
  jsonKeys: 40_000,
} as const;
