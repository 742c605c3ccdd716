/** The bound of what a collection keeps, for docs/limits.md. */
type Bound = string;

/** Lives as long as its request, its model step or its start of the process. */
export const SHORT = 'short-lived';

/** Its entries end with their keys: they are weak. */
export const WEAK = 'weak';

/** Filled when the module is loaded, with constants of the code. */
export const FIXED = 'fixed';

const TURN = 'one for each turn that runs in the process';
const STREAM = 'one for each open stream';
const ENVIRONMENT = 'one for each environment with open feeds';
const ENDPOINT_WORK = 'one for each environment whose webhook deliveries are due';

/**
 * Maps and sets of modules and classes that are no caches. A cache is a `BoundedCache`, and its bounds are in `CACHES`.
 * test/contributing/memory.test.ts finds a collection that is missing here. The keys are the file and the name.
 */
export const COLLECTIONS: Readonly<Record<string, Readonly<Record<string, Bound>>>> = {
  'src/bounds/json-cost.ts': { '#keys': SHORT },
  'src/model/optional-features.ts': { '#isTaken': 'two for each client in the cache of models' },
  'src/model/provider-reasoning.ts': { '#parts': SHORT },
  'src/model/reply/messages-reply.ts': { '#otherBlocks': SHORT },
  'src/rest/schema-changes.ts': { '#open': SHORT },
  'src/graphql/schema/errors.ts': { types: FIXED },
  'src/graphql/schema/enum-type.ts': { enumTypes: WEAK },
  'src/graphql/schema/shape-fields.ts': { inputTypes: WEAK, outputTypes: WEAK },
  'src/rest/openapi-errors.ts': { RARE: FIXED },
  'src/rest/openapi-types.ts': { NO_FIELDS: FIXED, '#sources': SHORT, '#schemas': SHORT },
  'src/rest/published/closed-fields.ts': { closedTypes: WEAK },
  'src/rest/published/result-size.ts': { '#counted': SHORT },
  'src/operation/list-size.ts': { sizes: WEAK },
  'src/operation/slow-consumer.ts': { unread: STREAM },
  'src/operation/stream-caps.ts': { '#open': 'one for each caller with an open stream' },
  'src/operation/address-places.ts': {
    '#places': 'one for each IP address from which a stranger reads or sends a large body',
  },
  'src/operation/read-places.ts': { '#entered': WEAK },
  'src/operation/heartbeats.ts': { slots: STREAM },
  'src/operation/input.ts': { fieldMaps: WEAK },
  'src/operation/document-cost.ts': { '#counted': SHORT },
  'src/operation/compile.ts': { operations: WEAK },
  'src/operation/storable-text.ts': { checked: WEAK },
  'src/operation/shared-executions.ts': { '#shared': STREAM, startVariables: WEAK },
  'src/operation/introspection/introspection-counter.ts': { '#parts': SHORT, '#counted': SHORT },
  'src/operation/introspection/introspection-key.ts': { digests: WEAK },
  'src/operation/plan.ts': { plans: WEAK },
  'src/operation/document-shape.ts': { '#measured': SHORT },
  'src/graphql/server/single-connection.ts': { streams: 'one for each shared stream' },
  'src/graphql/server/shared-stream.ts': { '#operations': '50 for each shared stream' },
  'src/http/one-at-a-time.ts': { connections: WEAK },
  'src/http/shared-chunk.ts': { chunks: WEAK },
  'src/http/body/unfinished-bodies.ts': {
    '#ofAddress': 'one for each IP address that sends a request body',
    held: WEAK,
  },
  'src/http/server.ts': { '#connections': 'one for each open connection' },
  'src/ops/graceful-shutdown.ts': { '#responses': 'one for each request in progress' },
  'src/transports/ui/chunks.ts': { '#denied': SHORT },
  'src/transports/mcp/published-tools.ts': { tools: WEAK },
  'src/rest/schema-text/search.ts': { indexes: WEAK },
  'src/files/upload-requests.ts': {
    '#files': 'one for each upload that sends bytes',
    '#perAddress': 'one for each IP address that sends bytes of files',
  },
  'src/db/database.ts': { names: '500 statements for each kind of scope' },
  'src/db/propagation.ts': { propagating: WEAK },
  'src/db/rate-limiter.ts': { limiters: 'one for each kind of rate limit' },
  'src/db/scoped-query.ts': { formats: WEAK },
  'src/db/shared-reads.ts': { '#pending': 'one for each statement that waits for the next round of the event loop' },
  'src/db/postgres-pub-sub.ts': { '#batch': 'one for each topic that is published in the same moment' },
  'src/db/scoped.ts': { unscopedClients: WEAK, clients: WEAK, withoutPolicies: WEAK, relations: FIXED },
  'src/db/sql.ts': { texts: WEAK },
  'src/db/tail.ts': { '#subscribers': STREAM, '#tails': ENVIRONMENT },
  'src/domain/periodic-tasks.ts': { '#running': 'one for each background task' },
  'src/domain/agent/trace/reads.ts': { opened: WEAK },
  'src/domain/agent/live/live-turns.ts': { '#turns': TURN, '#changed': TURN },
  'src/domain/agent/live/turn-tail.ts': { '#catchingUp': STREAM },
  'src/domain/agent/run/run-registry.ts': { '#controllers': TURN, '#active': TURN, '#abandoned': TURN },
  'src/domain/conversations/conversation-tail.ts': { '#reading': STREAM },
  'src/domain/access/credential-use.ts': { '#writing': 'one for each record of a use that is being written' },
  'src/domain/access/caller-watches.ts': { '#watches': 'one for each caller with an open stream' },
  'src/domain/access/mail-delivery/dispatcher.ts': { '#served': 'the 500 keys whose mails were sent last' },
  'src/domain/workflows/deployments.ts': { configCaches: WEAK },
  'src/domain/related/batches.ts': { batches: WEAK },
  'src/domain/events/log-tail.ts': { '#catchingUp': STREAM },
  'src/domain/leases/dead-leases.ts': { '#expiredSince': 'one for each lease that has expired' },
  'src/domain/leases/held-leases.ts': { '#held': 'one for each lease of the process' },
  'src/domain/webhooks/dispatcher.ts': {
    '#subscriptions': 'one for each environment with webhook endpoints',
    '#watched': ENDPOINT_WORK,
    '#grown': ENDPOINT_WORK,
    '#due': ENDPOINT_WORK,
    '#heldBack': ENDPOINT_WORK,
  },
  'src/domain/webhooks/attempt-pool.ts': { '#running': 'one for each running webhook attempt' },
  'src/domain/json-schema/pattern.ts': { '#tests': SHORT },
  'src/domain/json-schema/references.ts': { '#found': SHORT },
  'src/domain/json-schema/evaluation.ts': { '#names': SHORT, '#patterns': SHORT },
  'src/domain/documents/call-counter.ts': { '#counts': '1,000 documents whose calls are not stored yet' },
  'src/services.ts': { openFeeds: STREAM },
  'src/pages/assets.ts': { '#files': FIXED },
};
