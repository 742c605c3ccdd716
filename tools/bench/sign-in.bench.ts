import { type BenchDatabase, createDatabase } from './core/database.ts';
import { options, ROUNDS } from './core/options.ts';
import { startService, type Target } from './core/processes.ts';
import type { Bench, Findings } from './core/results.ts';
import { alternate, figureOf, type Sample, type Samples } from './core/statistics.ts';

/** Attempts with each kind of account per median. */
const ATTEMPTS = options.quick ? 10 : 30;

const KNOWN = 'known account';
const UNKNOWN = 'unknown account';

const query =
  'mutation ($input: SignInInput!) { signIn(input: $input) { __typename ... on SignInPayload { token } ... on Error { code message path } } }';

export const bench: Bench = {
  about:
    'Sign-in with a wrong password on PostgreSQL, one attempt at a time: a known account compared with an unknown one.' +
    ' Attempts are limited by IP address and by account, so each attempt has its own address and account.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const service = await startService({ DATABASE_URL: database.url, TRUST_PROXY: '1' });
    const attempt = attempts(database, service);
    const variants = {
      [KNOWN]: () => attempt((number) => `known${number}@example.com`),
      [UNKNOWN]: () => attempt((number) => `unknown${number}@example.com`),
    };
    await alternate(variants, ATTEMPTS);
    const samples = await alternate(variants, ATTEMPTS * ROUNDS);
    const [known, unknown] = [figureOf(medians(samples, KNOWN)), figureOf(medians(samples, UNKNOWN))];
    // A difference in either direction would reveal whether the account exists.
    const difference = Math.max(known.median, unknown.median) / Math.min(known.median, unknown.median);
    const goal = {
      description: 'known compared with unknown account: median',
      limit: 1.1,
      is: 'at most',
      unit: 'times',
    } as const;
    return {
      tables: [
        {
          title: 'A wrong password',
          columns: [{ key: 'p50', title: 'p50 ms', digits: 1 }],
          rows: [
            { name: KNOWN, figures: { p50: known } },
            { name: UNKNOWN, figures: { p50: unknown } },
          ],
        },
      ],
      goals: [{ ...goal, measured: figureOf([difference]) }],
    };
  },
};

type Attempt = (emailOf: (number: number) => string) => Promise<Sample>;

/** Before each attempt the only account gets the email address of this attempt's known account. */
function attempts(database: BenchDatabase, { url }: Target): Attempt {
  let number = 0;
  return async (emailOf) => {
    number += 1;
    await database.query('UPDATE user_account SET email = $1', [`known${number}@example.com`]);
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': `2001:db8:${number.toString(16)}::1` };
    const variables = { input: { email: emailOf(number), password: 'not the password' } };
    const startedAt = performance.now();
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query, variables }),
    });
    const text = await response.text();
    if (!text.includes('InvalidCredentials')) throw new Error(text);
    return { took: performance.now() - startedAt };
  };
}

/** The median of each group of attempts. */
function medians(samples: Samples, name: string): number[] {
  const times = (samples[name] ?? []).map(({ took = Number.NaN }) => took);
  return Array.from({ length: ROUNDS }, (_, round) => {
    return figureOf(times.slice(round * ATTEMPTS, (round + 1) * ATTEMPTS)).median;
  });
}
