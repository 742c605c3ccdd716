import { styleText } from 'node:util';

/** What a person who starts the service wants to know. */
export interface Announcement {
  readonly url: string;
  readonly database: string;
  readonly model: string;
  /** Only after a first start: secrets are shown once. */
  readonly made:
    | {
        readonly email: string;
        readonly password: string;
        readonly keys: { readonly live: string; readonly test: string };
      }
    | undefined;
  readonly demoChatId: string;
}

/** The start's message, in colour where `colour` says so. */
export function announcement({ url, database, model, made, demoChatId }: Announcement, colour: boolean): string {
  const paint = (style: 'bold' | 'cyan' | 'dim' | 'yellow', text: string) => (colour ? styleText(style, text) : text);
  const row = (name: string, value: string) => `  ${paint('dim', name.padEnd(12))}${value}`;
  const lines = [
    '',
    paint('bold', `Parley runs at ${paint('cyan', url)}`),
    row('Pages', `${url}, ${url}/dashboard`),
    row('GraphQL', `${url}/graphql`),
    row('REST', `${url}/v1 and ${url}/v2`),
    row('Health', `${url}/healthz, ${url}/readyz, ${url}/metrics`),
    row('Database', database),
    row('Model', model),
    ...(made
      ? [
          '',
          paint('yellow', 'Made for you, and shown this once:'),
          row('Owner', made.email),
          row('Password', made.password),
          row('Live key', made.keys.live),
          row('Test key', made.keys.test),
          '',
          'Try it:',
          curl(url, demoChatId, made.keys.test),
        ]
      : []),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function curl(url: string, deploymentId: string, key: string): string {
  const body = JSON.stringify({ content: [{ type: 'text', text: 'Hello' }] });
  return [
    `curl -s ${url}/v1/runner/${deploymentId}/conversation \\`,
    `  -H 'x-api-key: ${key}' -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n');
}
