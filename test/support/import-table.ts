/** What files may import. All rows apply whose `from` is the file or a folder above it. */
export interface Row {
  readonly from: string;
  /** Folders and files of `src`; `*` stands for a part of a name. */
  readonly may: readonly string[];
  /** The same, for `import type` alone. */
  readonly mayAsTypes?: readonly string[];
  /** Packages that are not for these files. */
  readonly never?: RegExp;
  readonly because: string;
}

/** A feature may import those before it. */
const FEATURES = [
  'leases',
  'related',
  'audit',
  'events',
  'branding',
  'access',
  'documents',
  'workflows',
  'files',
  'usage',
  'resources',
  'integrations',
  'webhooks',
  'triggers',
  'actions',
  'conversations',
  'exports',
  'retention',
  'agent',
];

const TRANSPORTS = /^(express|graphql|graphql-.*|@graphql-.*|@pothos\/.*|react|react-dom|node:http)$/;

const SERVER = [
  'bounds/',
  'cache/',
  'contract/',
  'db/',
  'domain/',
  'outbound/',
  'model/',
  'identity/',
  'mail/',
  'operation/',
  'http/',
  'graphql/',
  'rest/',
  'pages/',
  'files/',
  'storage/',
  'reference/',
  'transports/',
  'ops/',
  'telemetry/',
  'app.ts',
  'service.ts',
  'services.ts',
  'stop-reason.ts',
  'config.ts',
  'config/',
];

export const TABLE: readonly Row[] = [
  { from: 'contract/', may: ['contract/'], never: /./, because: 'it is in the browser bundle' },
  { from: 'bounds/', may: ['bounds/', 'contract/'], because: 'it knows no feature' },
  { from: 'cache/', may: ['cache/', 'contract/'], because: 'it knows no feature' },
  { from: 'db/', may: ['cache/', 'contract/', 'db/'], because: 'storage knows no feature' },
  {
    from: 'domain/',
    may: [
      'bounds/',
      'cache/',
      'contract/',
      'db/',
      'domain/address.ts',
      'domain/address-port.ts',
      'domain/caller.ts',
      'domain/context.ts',
      'domain/headers-input.ts',
      'domain/input.ts',
      'domain/json-schema/',
      'domain/message-content.ts',
      'domain/page.ts',
      'domain/period.ts',
      'domain/periodic-tasks.ts',
      'domain/request.ts',
      'domain/secret-box.ts',
      'domain/telemetry.ts',
      'domain/tracing.ts',
      'domain/type-id.ts',
      'domain/values-by-name.ts',
    ],
    never: new RegExp(`${TRANSPORTS.source}|^@ai-sdk/`),
    because: 'the domain does not know which transport or model library is used',
  },
  ...FEATURES.map((feature, index) => ({
    from: `domain/${feature}/`,
    may: FEATURES.slice(0, index + 1).map((earlier) => `domain/${earlier}/`),
    because: `features have an order: ${FEATURES.join(', ')}`,
  })),
  {
    from: 'domain/context.ts',
    may: [],
    mayAsTypes: [
      'domain/access/',
      'domain/actions/',
      'domain/address-port.ts',
      'domain/agent/',
      'domain/documents/',
      'domain/files/',
      'domain/leases/',
      'domain/secret-box.ts',
    ],
    because: 'it names what every request shares',
  },
  {
    from: 'domain/request.ts',
    may: [],
    mayAsTypes: ['domain/access/'],
    because: 'it states what access found out about the request',
  },
  { from: 'domain/first-start.ts', may: ['domain/'], because: 'it fills the tables of several features' },
  { from: 'outbound/', may: ['contract/', 'outbound/'], because: 'it sends requests without knowing their purpose' },
  {
    from: 'model/',
    may: [
      'bounds/',
      'cache/',
      'contract/',
      'model/',
      'outbound/',
      'domain/actions/*-port.ts',
      'domain/agent/*-port.ts',
    ],
    because: 'it fits the ports of the domain',
  },
  {
    from: 'identity/',
    may: ['cache/', 'contract/', 'identity/', 'outbound/', 'domain/access/*/*-port.ts'],
    because: 'it fits the port of the domain to OpenID Connect',
  },
  {
    from: 'mail/',
    may: ['contract/', 'mail/', 'domain/access/*/*-port.ts'],
    because: 'it fits the port of the domain to SMTP',
  },
  {
    from: 'operation/',
    may: ['bounds/', 'cache/', 'contract/', 'domain/', 'operation/'],
    mayAsTypes: ['db/rate-limiter.ts'],
    never: /^(express|graphql-yoga|graphql-sse)$/,
    because: 'every transport uses it, so it depends on no transport',
  },
  {
    from: 'operation/context.ts',
    may: ['db/scoped.ts'],
    because: 'it binds the database to the environment of the caller',
  },
  { from: 'operation/errors.ts', may: ['db/unavailable.ts'], because: 'a lost database is 503, not a fault' },
  { from: 'http/', may: ['contract/', 'http/', 'operation/'], because: 'it adapts Express for all transports' },
  {
    from: 'graphql/',
    may: ['cache/', 'contract/', 'domain/', 'graphql/', 'http/', 'operation/'],
    mayAsTypes: ['db/generated/'],
    because: 'resolvers call the domain; types of rows cost nothing at run time',
  },
  { from: 'graphql/schema/builder.ts', may: ['db/'], because: 'Pothos reads the data model' },
  {
    from: 'rest/',
    may: ['bounds/', 'cache/', 'contract/', 'graphql/', 'http/', 'operation/', 'rest/'],
    mayAsTypes: ['domain/context.ts', 'domain/access/anonymous.ts', 'domain/documents/compiler-port.ts'],
    because: 'what REST needs, GraphQL offers; the services are only passed through',
  },
  {
    from: 'transports/',
    may: ['contract/', 'http/', 'operation/', 'rest/', 'transports/'],
    because: 'a transport maps another protocol to the documents of REST, and has no state',
  },
  {
    from: 'storage/',
    may: ['contract/', 'storage/', 'domain/files/*-port.ts'],
    because: 'it fits the port of files',
  },
  {
    from: 'files/',
    may: ['contract/', 'domain/', 'files/', 'http/', 'operation/'],
    mayAsTypes: ['db/rate-limiter.ts'],
    because: 'it moves bytes with signed URLs, outside of the operations',
  },
  {
    from: 'pages/',
    may: ['contract/', 'domain/', 'http/', 'operation/', 'pages/', 'rest/router.ts'],
    because: 'it serves files and admits visitors; the files call the APIs',
  },
  {
    from: 'reference/',
    may: ['graphql/', 'http/unrouted.ts', 'pages/file.ts', 'reference/', 'rest/'],
    because: 'it shows what the transports offer, and is not a transport itself',
  },
  {
    from: 'ops/',
    may: ['contract/', 'db/', 'ops/'],
    mayAsTypes: ['domain/context.ts', 'domain/telemetry.ts'],
    because: 'it watches the service and takes no part in it',
  },
  {
    from: 'telemetry/',
    may: ['cache/', 'contract/', 'telemetry/'],
    mayAsTypes: ['domain/tracing.ts'],
    because:
      'it fits the port of the domain to tracing, and is a bundle of its own: state of other modules would be a copy',
  },
  ...['main.ts', 'app.ts', 'service.ts', 'services.ts', 'stop-reason.ts', 'config.ts', 'config/'].map((from) => ({
    from,
    may: SERVER,
    because: 'it puts the service together; pages are files on disk',
  })),
  {
    from: 'sdk/',
    may: ['contract/', 'sdk/'],
    never: /^(?!react$)/,
    because: 'it runs in browsers, and is installed without the service',
  },
  { from: 'sdk/*.ts', may: [], never: /^react/, because: 'only sdk/react needs React; its controllers do not' },
  {
    from: 'web/',
    may: ['contract/', 'sdk/index.ts', 'sdk/react/index.ts', 'web/'],
    mayAsTypes: ['../schema/introspection.d.ts'],
    never: /^(node:|@?prisma|pg$|express$|graphql-yoga|@pothos\/)/,
    because: 'pages know the service as any client does: by the SDK and by GraphQL',
  },
  {
    from: 'cli/configuration/',
    may: ['cli/command.ts', 'cli/configuration/', 'cli/options.ts', 'cli/terminal.ts', 'contract/', 'domain/'],
    never: TRANSPORTS,
    because: 'it uses the rules of the domain and the API of a running service, but no database',
  },
  ...['cli.ts', 'cli/*.ts'].map((from) => ({
    from,
    may: ['cli/', 'contract/', 'db/', 'domain/', 'ops/log.ts', 'services.ts', 'stop-reason.ts', 'config.ts'],
    never: TRANSPORTS,
    because: 'the operator calls the domain directly, not through a transport',
  })),
];
