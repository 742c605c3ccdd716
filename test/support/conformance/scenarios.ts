/** The scenarios of the suite that run against the tools of the service. */
export const OF_SERVICE: readonly string[] = [
  'caching',
  'http-header-validation',
  'input-required-result-unsupported-methods',
  'ping',
  'server-initialize',
  'server-session-lifecycle',
  'server-sse-multiple-streams',
  'server-stateless',
  'tools-list',
];

/** The scenarios that call tools of the suite: they run against the transport of the service with these tools. */
export const OF_TRANSPORT: readonly string[] = [
  'http-custom-header-server-validation',
  'http-header-validation',
  'input-required-result-basic-elicitation',
  'input-required-result-basic-list-roots',
  'input-required-result-basic-sampling',
  'input-required-result-capability-check',
  'input-required-result-ignore-extra-params',
  'input-required-result-missing-input-response',
  'input-required-result-multi-round',
  'input-required-result-multiple-input-requests',
  'input-required-result-non-tool-request',
  'input-required-result-request-state',
  'input-required-result-result-type',
  'input-required-result-tampered-state',
  'input-required-result-unsupported-methods',
  'input-required-result-validate-input',
  'json-schema-2020-12',
  'logging-set-level',
  'prompts-list',
  'server-stateless',
  'tasks-capability-negotiation',
  'tasks-dispatch-and-envelope',
  'tasks-lifecycle',
  'tasks-mrtr-composition',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-request-state-removal',
  'tasks-required-task-error',
  'tasks-wire-fields',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-error',
  'tools-call-image',
  'tools-call-mixed-content',
  'tools-call-simple-text',
  'tools-call-with-logging',
  'tools-call-with-progress',
  'tools-list',
];

const NO_RESOURCES = 'The service has no resources of the protocol: its tools read data.';
const NO_PROMPTS = 'The service has no prompts. The framing of requests is the same as for tools.';
const ASKS_IN_RESULTS =
  'A client of 2025 responds to a request of the server with another request, which any process can take. So only results ask the client.';

const NO_TASK_NOTIFICATIONS = 'The service sends no notifications of tasks: a client polls.';

/** The scenarios that run against neither, with the reason. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'completion-complete': NO_PROMPTS,
  'dns-rebinding-protection':
    'The scenario is for servers without authentication. Every request needs a credential, which a page of another site does not have.',
  'elicitation-sep1034-defaults': ASKS_IN_RESULTS,
  'elicitation-sep1330-enums': ASKS_IN_RESULTS,
  'prompts-get-embedded-resource': NO_PROMPTS,
  'prompts-get-simple': NO_PROMPTS,
  'prompts-get-with-args': NO_PROMPTS,
  'prompts-get-with-image': NO_PROMPTS,
  'resources-list': NO_RESOURCES,
  'resources-read-binary': NO_RESOURCES,
  'resources-read-text': NO_RESOURCES,
  'resources-subscribe': NO_RESOURCES,
  'resources-templates-read': NO_RESOURCES,
  'resources-unsubscribe': NO_RESOURCES,
  'sep-2164-resource-not-found': NO_RESOURCES,
  'server-sse-polling': 'A stream of the service does not resume. The conversation has the reply.',
  'tasks-status-notifications': NO_TASK_NOTIFICATIONS,
  'tools-call-elicitation': ASKS_IN_RESULTS,
  'tools-call-sampling': ASKS_IN_RESULTS,
};

const OWN_TOOLS = 'It calls a tool of the suite, so it runs against the transport.';
const NO_ANNOUNCEMENTS = 'The service does not announce changes of lists: a client asks again after `ttlMs`.';

/** The checks of other scenarios that do not pass, with the reason. */
export const FAILING_CHECKS: Readonly<Record<'service' | 'transport', Readonly<Record<string, string>>>> = {
  service: {
    'sep-2549-prompts-list-caching-hints': NO_PROMPTS,
    'sep-2549-resources-list-caching-hints': NO_RESOURCES,
    'sep-2549-resources-templates-list-caching-hints': NO_RESOURCES,
    'sep-2575-server-rejects-undeclared-capability': OWN_TOOLS,
    'sep-2575-missing-capability-http-400': OWN_TOOLS,
    'sep-2575-http-server-no-independent-requests-on-stream': OWN_TOOLS,
    'sep-2575-server-no-log-without-loglevel': OWN_TOOLS,
  },
  transport: {
    'sep-2663-server-returns-missing-capability-when-required': 'No tool of the service needs tasks.',
    'sep-2575-server-sends-prompts-list-changed-on-subscription': NO_ANNOUNCEMENTS,
    'sep-2575-server-sends-tools-list-changed-on-subscription': NO_ANNOUNCEMENTS,
  },
};
