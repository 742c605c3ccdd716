/** The limits of published documents. A part of `LIMITS`: read them from there. */
export const DOCUMENT_LIMITS = {
  /** Published operations of an environment. */
  documents: 200,
  /** Characters of a document's name. */
  documentNameLength: 64,
  /** Characters of a document's text. */
  documentLength: 32 * 1024,
  /** Tokens of a document's text. */
  documentTokens: 3_000,
  /** Fields of one object of a document, with those of its fragments. Comparing them takes quadratic time. */
  documentBreadth: 100,
  /** Fields of a document's result after every fragment is replaced by its fields, for each type of an object. */
  documentFields: 1_000,
  /** Variables of a document. */
  documentVariables: 50,
  /** Segments of a document's path after its name. */
  documentPathSegments: 8,
  /** Problems of a document that one check lists. */
  documentProblems: 20,
  /** Versions of a document that are kept. Publishing another one deletes the oldest. */
  documentVersions: 50,
  /** Characters of a file that describes documents. */
  documentFileLength: 4 * 1024 * 1024,
  /** Characters of the schemas of documents after which a page of MCP's `tools/list` ends. */
  documentToolsLength: 256 * 1024,
  /** Days for which the calls of a document are counted. */
  documentCallDays: 90,
} as const;
