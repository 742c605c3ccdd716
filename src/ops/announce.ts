import { styleText } from 'node:util';
import { ENVIRONMENT_KINDS, type EnvironmentKind } from '../contract/statuses.ts';

/** Credentials that a first start generated. A value that the operator set is missing and never printed. */
interface FirstValues {
  readonly email: string | undefined;
  readonly password: string | undefined;
  readonly keys: Readonly<Partial<Record<EnvironmentKind, string>>>;
  readonly suppliedKey: EnvironmentKind | undefined;
}

/** The facts that the start message shows. */
export interface Announcement {
  readonly url: string;
  readonly database: string;
  readonly model: string;
  readonly migrations: { readonly count: number; readonly seconds: number };
  /** Set only after a first start, because secrets are shown once. */
  readonly firstStart: FirstValues | undefined;
  /** Whether METRICS_TOKEN is set, so other machines can read `/metrics`. */
  readonly hasMetricsToken: boolean;
  /** Undefined if the hosted page of the demo chat is off. */
  readonly demoPage: string | undefined;
  readonly demoChatId: string;
}

type Paint = (style: 'bold' | 'cyan' | 'dim' | 'yellow', text: string) => string;

/** Returns the start message, in colour if `colour` is true. */
export function announcement(facts: Announcement, colour: boolean): string {
  const { url, database, model, migrations, firstStart, demoPage, hasMetricsToken } = facts;
  const paint: Paint = (style, text) => (colour ? styleText(style, text) : text);
  const row = (name: string, value: string) => `  ${paint('dim', name.padEnd(12))}${value}`;
  const metrics = `${url}/metrics (${hasMetricsToken ? 'from this machine, or with METRICS_TOKEN' : 'from this machine'})`;
  const lines = [
    '',
    paint('bold', `Parley runs at ${paint('cyan', url)}`),
    row('Pages', [url, `${url}/dashboard`, ...(demoPage ? [demoPage] : [])].join(', ')),
    row('GraphQL', `${url}/graphql`),
    row('REST', `${url}/v1 and ${url}/v2`),
    row('Health', `${url}/healthz, ${url}/readyz`),
    row('Metrics', metrics),
    row('Database', database),
    ...(migrations.count > 0
      ? [row('Migrations', `${migrations.count} applied in ${migrations.seconds.toFixed(1)} s`)]
      : []),
    row('Model', model),
    ...(firstStart ? firstStartLines(facts, firstStart, paint, row) : []),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function firstStartLines(
  { url, demoChatId }: Announcement,
  { email, password, keys, suppliedKey }: FirstValues,
  paint: Paint,
  row: (name: string, value: string) => string,
): string[] {
  const keyRows = ENVIRONMENT_KINDS.flatMap((kind) => {
    const key = suppliedKey === kind ? 'the key that you set in BOOTSTRAP_API_KEY' : keys[kind];
    return key === undefined ? [] : [row(kind === 'live' ? 'Live key' : 'Test key', key)];
  });
  return [
    '',
    paint('yellow', 'First start. Generated secrets are shown only this once:'),
    row('Owner', email ?? 'the address that you set in BOOTSTRAP_EMAIL'),
    row('Password', password ?? 'the password that you set in BOOTSTRAP_PASSWORD'),
    ...keyRows,
    '',
    suppliedKey ? 'Try it in a shell that has BOOTSTRAP_API_KEY set:' : 'Try it:',
    curl(url, demoChatId, suppliedKey ? '$BOOTSTRAP_API_KEY' : (keys.test ?? '')),
  ];
}

function curl(url: string, deploymentId: string, key: string): string {
  const body = JSON.stringify({ content: [{ type: 'text', text: 'Hello' }] });
  return [
    `curl -s ${url}/v1/runner/${deploymentId}/conversation \\`,
    `  -H "x-api-key: ${key}" -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n');
}
