// The explorer: GraphiQL, with the API key from the form in each GraphQL request.

const endpoint = new URL(location.pathname, location.href).href;
const fields = ['key', 'environment'].map((id) => document.getElementById(id));
const [key, environment] = fields;

// For this tab alone: nothing of a key outlives it.
for (const field of fields) {
  field.value = sessionStorage.getItem(`parley.${field.id}`) ?? field.value;
  field.addEventListener('input', () => sessionStorage.setItem(`parley.${field.id}`, field.value));
}

document.querySelector('header form').addEventListener('submit', (event) => event.preventDefault());

const plainFetch = window.fetch;

/** Adds the key and environment to GraphQL requests. Headers from the headers editor take precedence. */
window.fetch = (resource, options = {}) => {
  const address = new URL(resource.url ?? resource, location.href);
  if (address.origin + address.pathname !== endpoint) return plainFetch(resource, options);
  const headers = new Headers(options.headers ?? resource.headers);
  const isNamed = headers.has('authorization') || headers.has('x-api-key');
  if (key.value.trim() && !isNamed) headers.set('authorization', `Bearer ${key.value.trim()}`);
  if (environment.value === 'test' && !headers.has('x-environment')) headers.set('x-environment', 'test');
  return plainFetch(resource, { ...options, headers });
};

const worker = (label) => ({ graphql: 'graphql', json: 'json' })[label] ?? 'editor';

window.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => new URL(`explorer/${worker(label)}.worker.js`, location.href).href,
};

window.YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
  endpoint,
  title: 'GraphQL',
  logo: ' ',
  // Headers can contain secrets.
  shouldPersistHeaders: false,
  defaultQuery: `# Enter an API key above. The first start of the service prints two keys.
# The panel on the left documents the schema.
# Ctrl-Space completes, Ctrl-Enter runs the query.

query LatestConversations {
  conversations(first: 5) {
    nodes {
      name
      status
      updatedAt
      messageCount
    }
  }
}
`,
});
