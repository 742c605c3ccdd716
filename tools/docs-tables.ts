import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Variable } from '../src/config/variable.ts';
import { VARIABLES } from '../src/config/variables.ts';
import { CACHES } from '../src/contract/cache-limits.ts';
import { LIMITS } from '../src/contract/limits.ts';
import { MODEL_PROVIDERS } from '../src/contract/model-name.ts';
import { parametersOf } from '../src/contract/model-parameters.ts';
import { formatBytes, formatCount } from '../src/contract/quantities.ts';
import { DISTRIBUTED_TABLES, DISTRIBUTION_COLUMN, LOCAL_TABLES, REFERENCE_TABLES } from '../src/db/distribution.ts';
import { RATE_LIMITS } from '../src/domain/access/rate-limits.ts';
import { inputText } from '../src/shapes/descriptions.ts';
import type { Shape } from '../src/shapes/field.ts';
import { DEPLOYMENT_SETTINGS, WORKFLOW_DRAFT } from '../src/shapes/workflows.ts';
import { TABLE } from '../test/support/import-table.ts';
import { BOUNDS, EXCEPTIONS, type Measure } from './abuse/bounds.ts';
import { KINDS } from './abuse/kinds/all.ts';
import { COLLECTIONS, FIXED, SHORT, WEAK } from './collections.ts';
import { designTokens } from './design-tokens.ts';
import { POOLS } from './pools-table.ts';
import { providerRows } from './providers-table.ts';
import { scaleTables } from './scale-tables.ts';

/** A document of which the code determines the part between two marks. */
export interface GeneratedPart {
  readonly path: string;
  readonly name: string;
  readonly text: string;
  /** The command that writes it. */
  readonly command?: string;
}

/** Every part that `npm run docs` writes. */
export function generatedParts(root: string): GeneratedPart[] {
  return [
    { path: 'docs/configuration.md', name: 'variables', text: variablesTable() },
    { path: 'docs/limits.md', name: 'limits', text: limitsTable(root) },
    { path: 'docs/limits.md', name: 'rate-limits', text: rateLimitsTable() },
    { path: 'docs/limits.md', name: 'pools', text: poolsTable() },
    { path: 'docs/limits.md', name: 'caches', text: cachesTable() },
    { path: 'docs/limits.md', name: 'collections', text: collectionsTable() },
    { path: 'docs/abuse.md', name: 'kinds', text: kindsTable() },
    { path: 'docs/abuse.md', name: 'bounds', text: boundsTable() },
    { path: 'docs/architecture.md', name: 'imports', text: importsTable() },
    { path: 'docs/design.md', name: 'tokens', text: tokenTables(root) },
    { path: 'docs/providers.md', name: 'providers', text: providersTable() },
    { path: 'docs/scale.md', name: 'model', text: scaleTables(root) },
    { path: 'docs/scale.md', name: 'distribution', text: distributionTable() },
    { path: 'docs/workflows.md', name: 'parameters', text: parametersTable() },
    { path: 'docs/workflows.md', name: 'settings of workflows', text: settingsTable(WORKFLOW_DRAFT.fields) },
    { path: 'docs/workflows.md', name: 'settings of deployments', text: settingsTable(DEPLOYMENT_SETTINGS) },
  ];
}

/** The document with the part between its marks replaced. @throws {Error} if the marks are missing */
export function withPart(document: string, { path, name, text, command = 'npm run docs' }: GeneratedPart): string {
  const [start, end] = [`<!-- ${name}: written by ${command} -->\n`, `<!-- end of ${name} -->\n`];
  const [before, rest] = document.split(start);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) throw new Error(`${path} has no marks for ${name}.`);
  return `${before}${start}\n${text}\n${end}${after}`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(header) + line(header.map(() => '---')) + rows.map(line).join('');
}

function settingsTable(shape: Shape): string {
  return table(
    ['setting', 'in the dashboard', 'meaning'],
    Object.entries(shape).map(([name, field]) => [`\`${name}\``, field.title ?? '', inputText(field)]),
  );
}

function parametersTable(): string {
  const rows = MODEL_PROVIDERS.map((provider) => {
    const names = [...parametersOf(provider)].map(([name, kind]) => `\`${name}\` (${kind})`);
    return [`\`${provider}:\``, names.join(', ')];
  });
  return table(['model', 'parameters'], rows);
}

function providersTable(): string {
  return table(['provider', 'model', 'demands', 'gets back', 'dialects', 'does not work'], providerRows());
}

function kindsTable(): string {
  return table(
    ['kind', 'requests'],
    KINDS.map(({ name, about }) => [`\`${name}\``, about]),
  );
}

function boundsTable(): string {
  const rows = Object.entries(BOUNDS).map(([, { title, limit, because }]) => [
    title,
    'every kind',
    String(limit),
    because,
  ]);
  const exceptions = Object.entries(EXCEPTIONS).flatMap(([kind, bounds]) =>
    Object.entries(bounds).map(([measure, { limit, because }]) => {
      return [BOUNDS[measure as Measure].title, `\`${kind}\``, String(limit), because];
    }),
  );
  return table(['number', 'kind', 'at most', 'because'], [...rows, ...exceptions]);
}

function distributionTable(): string {
  const names = (tables: readonly string[]) => tables.map((name) => `\`${name}\``).join(', ');
  return table(
    ['tables', 'where'],
    [
      [names(DISTRIBUTED_TABLES), `distributed by \`${DISTRIBUTION_COLUMN}\``],
      [names(REFERENCE_TABLES), 'reference tables: a copy on every server'],
      [names(LOCAL_TABLES), 'only on the coordinator'],
    ],
  );
}

function tokenTables(root: string): string {
  return designTokens(root)
    .map(({ title, note, tokens }) => {
      const hasDark = tokens.some(({ dark }) => dark);
      const rows = tokens.map(({ name, value, dark }) => [
        `\`${name}\``,
        `\`${value}\``,
        ...(hasDark ? [dark ? `\`${dark}\`` : 'same'] : []),
      ]);
      const heading = title.charAt(0).toUpperCase() + title.slice(1);
      const header = ['token', hasDark ? 'light' : 'value', ...(hasDark ? ['dark'] : [])];
      return `### ${heading}\n\n${note.charAt(0).toUpperCase()}${note.slice(1)}${note.endsWith('.') ? '' : '.'}\n\n${table(header, rows)}`;
    })
    .join('\n');
}

function variablesTable(): string {
  const rows = Object.entries<Variable>(VARIABLES).map(([name, variable]) => {
    const { required } = variable;
    const fallback = variable.default === undefined ? variable.fallback : `\`${variable.default}\``;
    const isDefault = fallback ?? 'not set';
    return [
      `\`${name}\``,
      variable.accepts,
      required ? `${isDefault}. Required if ${required.condition}` : isDefault,
      variable.meaning,
    ];
  });
  return table(['variable', 'values', 'default', 'meaning'], rows);
}

/** The comment above each key is its description. */
function limitsTable(root: string): string {
  const names = [
    'limits',
    'access-limits',
    'body-limits',
    'document-limits',
    'file-limits',
    'handling-limits',
    'model-limits',
  ];
  const sources = names.map((name) => readFileSync(join(root, `src/contract/${name}.ts`), 'utf8'));
  const source = sources.join('\n');
  const comments = new Map(
    [...source.matchAll(/\/\*\* (.+) \*\/\n\s+(\w+):/g)].map(([, comment = '', key = '']) => [key, comment] as const),
  );
  const rows = Object.entries(LIMITS).map(([key, value]) => {
    const comment = comments.get(key);
    if (comment === undefined) throw new Error(`src/contract/limits.ts has no comment for ${key}.`);
    const text = comment.replace(/\.$/, '').replace(/^Bytes of (.)/, (_all, first: string) => `Size of ${first}`);
    return [text, key.endsWith('Bytes') ? formatBytes(value) : formatCount(value)];
  });
  return table(['limit', 'value'], rows);
}

function cachesTable(): string {
  const rows = Object.values(CACHES).map(({ holds, maxEntries, maxBytes }) => [
    holds,
    formatCount(maxEntries),
    formatBytes(maxBytes),
  ]);
  return table(['cache', 'entries', 'size'], rows);
}

/** The collections that grow with what is open in the process. */
function collectionsTable(): string {
  const constant = new Set([SHORT, WEAK, FIXED]);
  const rows = Object.entries(COLLECTIONS).flatMap(([path, ofFile]) =>
    Object.entries(ofFile).flatMap(([name, bound]) =>
      constant.has(bound) ? [] : [[`\`${path.replace('src/', '')}\` \`${name}\``, bound]],
    ),
  );
  return table(['collection', 'entries'], rows);
}

const PER_ADDRESS = 'IP address';
const PER_CONVERSATION = 'conversation';

/** What each rate limit counts, and per what. */
const RATE_LIMIT_WORDS: Readonly<Record<keyof typeof RATE_LIMITS, readonly [counts: string, per: string]>> = {
  anonymousStarts: ['Conversations and one-shot runs started without credentials', PER_ADDRESS],
  anonymousWrites: ['Turns and other changes in conversations without credentials', PER_ADDRESS],
  anonymousReads: ['Reads of conversations without credentials', PER_ADDRESS],
  conversationReads: ['Reads and stops of one conversation without credentials', PER_CONVERSATION],
  anonymousTurns: ['Turns without credentials', PER_CONVERSATION],
  anonymousRatings: ['Ratings without credentials', PER_CONVERSATION],
  endUserRequests: ['Requests of end users', 'end user'],
  endUserTurns: ['Turns of end users', 'end user'],
  suggestionsOfPerson: ['Suggested replies', 'person'],
  suggestionsOfEnvironment: ['Suggested replies', 'environment'],
  modelTests: ['Tests of models', 'environment'],
  challengeStarts: ['Starts without credentials with one solved challenge', 'challenge'],
  challengeChecks: ['Responses to challenges that a provider verifies', PER_ADDRESS],
  anonymousUploads: ['Uploads started without credentials', PER_ADDRESS],
  fileUploads: ['Requests that send bytes of files', PER_ADDRESS],
  fileReads: ['Reads of files by a signed URL', PER_ADDRESS],
  failedCredentials: ['Requests with invalid credentials', PER_ADDRESS],
  withoutCredentials: ['Other API requests without credentials', PER_ADDRESS],
  introspections: ['Introspections whose result is not in memory', PER_ADDRESS],
  unroutedRequests: ['Requests of unknown paths, and with methods that a path does not have', PER_ADDRESS],
  hostedPage: ['Loads of hosted pages', PER_ADDRESS],
  branding: ['Reads of logos and of the settings of widgets', PER_ADDRESS],
  triggerRead: ['Public reads of triggers, without a valid key', PER_ADDRESS],
  invitationRead: ['Public reads of invitations', PER_ADDRESS],
  documentChecks: ['Checks and publications of documents', 'environment'],
  appRequests: ['Requests of apps to the authorization server', PER_ADDRESS],
  appDocuments: ['Reads of the documents that describe apps', PER_ADDRESS],
  appRegistrations: ['Registrations of apps (`MCP_DYNAMIC_REGISTRATION`)', PER_ADDRESS],
  signInByAccount: ['Sign-in attempts', 'account'],
  signInByAddress: ['Sign-in attempts, new passwords by link', PER_ADDRESS],
  secondFactorByAccount: ['Attempts to prove a second factor, or to set one up', 'account'],
  resetByAccount: ['Requests of a link for a new password', 'account'],
  resetByAddress: ['Requests of a link for a new password', PER_ADDRESS],
  invitationsToAddress: ['Invitations to one workspace', 'invited email address'],
  invitationsByMember: ['Invitations', 'member'],
  invitationsToWorkspace: ['Invitations', 'workspace'],
  invitationMails: ['Mails with invitations from all workspaces. Further ones are not sent', 'invited email address'],
  notices: ['Mails about one kind of event. Further ones are not sent', 'member'],
};

function rateLimitsTable(): string {
  const rows = Object.entries(RATE_LIMIT_WORDS).map(([key, [counts, per]]) => {
    const { points, seconds } = RATE_LIMITS[key as keyof typeof RATE_LIMITS];
    return [counts, per, `${formatCount(points)} per ${seconds === 60 ? 'minute' : `${seconds} s`}`];
  });
  return table(['requests', 'per', 'limit'], rows);
}

function poolsTable(): string {
  const rows = POOLS.map(({ pool, whole, ofOne, ofAll, order }) => [pool, whole, ofOne, ofAll, order]);
  return table(['pool', 'whole', 'one stranger', 'all strangers', 'order'], rows);
}

/** The rows of whole folders of `src`, and the parts of the command line: one uses the domain, one the API. The features of the domain share one row, because they differ only in their order. */
function importsTable(): string {
  const folders = TABLE.filter(({ from }) => /^([\w-]+\/|cli\/(\*\.ts|configuration\/))$/.test(from));
  const feature = TABLE.find(({ from }) => /^domain\/[\w-]+\/$/.test(from));
  const name = (path: string) => `\`${path}\``;
  const rows = folders.map(({ from, may, because }) => {
    const others = may.filter((path) => path !== from && !path.startsWith(from));
    return [name(from), others.map(name).join(', ') || 'nothing', because];
  });
  const features = feature ? [['features of `domain/`', 'features before them', feature.because]] : [];
  return table(['files of', 'may import', 'because'], [...rows, ...features]);
}
