const KIB = 1024;
const MIB = 1024 * KIB;

/** The bounds of a cache in the memory of a process. The oldest unused entries make room for new ones. */
export interface CacheBounds {
  /** What it holds, for docs/limits.md. */
  readonly holds: string;
  readonly maxEntries: number;
  /** Bytes of all entries, as their owner estimates them. */
  readonly maxBytes: number;
}

/** Every cache of the process. docs/limits.md lists them. A test finds caches that are not here. */
export const CACHES = {
  parsedDocuments: { holds: 'Parsed GraphQL documents', maxEntries: 1_000, maxBytes: 32 * MIB },
  documentErrors: { holds: 'Syntax errors of GraphQL documents', maxEntries: 100, maxBytes: 4 * MIB },
  repeatedQueries: { holds: 'GraphQL queries that succeeded', maxEntries: 1_000, maxBytes: 32 * MIB },
  introspections: { holds: 'Results of GraphQL introspection', maxEntries: 20, maxBytes: 32 * MIB },
  introspectionCosts: { holds: 'Costs of GraphQL introspection', maxEntries: 1_000, maxBytes: MIB },
  acceptedTypes: { holds: 'Media types by the header `Accept`', maxEntries: 50, maxBytes: 64 * KIB },
  compiledDocuments: { holds: 'Compiled published operations', maxEntries: 10_000, maxBytes: 100 * MIB },
  workflowConfigurations: { holds: 'Versions of workflows', maxEntries: 1_000, maxBytes: 64 * MIB },
  environmentClients: { holds: 'Database clients by environment', maxEntries: 1_000, maxBytes: 32 * MIB },
  credentialUses: { holds: 'Keys and sessions whose use was recorded lately', maxEntries: 10_000, maxBytes: 4 * MIB },
  refusals: { holds: 'Callers over a rate limit, until its window ends', maxEntries: 20_000, maxBytes: 8 * MIB },
  usedUpBudgets: { holds: 'Environments with a budget that refused a step', maxEntries: 10_000, maxBytes: 4 * MIB },
  models: { holds: 'Clients of models by name', maxEntries: 1_000, maxBytes: 8 * MIB },
  officeTexts: { holds: 'Texts of Office documents', maxEntries: 500, maxBytes: 32 * MIB },
  mcpEras: { holds: 'Revisions of the protocol that MCP servers have', maxEntries: 1_000, maxBytes: 8 * MIB },
  mcpTools: { holds: 'Tools of MCP servers', maxEntries: 500, maxBytes: 32 * MIB },
  issuerKeys: { holds: "Public keys of end users' issuers", maxEntries: 1_000, maxBytes: 64 * MIB },
  identityProviders: { holds: 'Configurations of identity providers', maxEntries: 100, maxBytes: 32 * MIB },
  statementSummaries: { holds: 'Names of SQL statements in traces', maxEntries: 2_000, maxBytes: 8 * MIB },
} as const satisfies Readonly<Record<string, CacheBounds>>;

/** The name of a cache. */
export type CacheName = keyof typeof CACHES;
