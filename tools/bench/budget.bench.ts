import { load } from './core/comparison.ts';
import { createDatabase } from './core/database.ts';
import { BUSY, ROUNDS, WARM_UP_MS, WINDOW_MS } from './core/options.ts';
import { KEY, type Target } from './core/processes.ts';
import { startProvider } from './core/provider.ts';
import type { Bench, Findings } from './core/results.ts';
import { alternate, figure, figureOf, ratio } from './core/statistics.ts';
import { CONTINUE, JSON_BY_KEY, START } from './core/turns.ts';

/** As in a deployment: one process at a time writes to the row of a budget, so more requests would only wait. */
const CONCURRENCY = Math.min(BUSY, 4);

const WITHOUT = 'without budgets';
const WITH = 'with a budget of tokens';
const MONEY = 'with a budget of money';

export const bench: Bench = {
  about:
    'A continue over REST (v2) on PostgreSQL, whose reply of 30 tokens comes from a provider in another process. The environments' +
    ' have no budget, a budget of tokens, or a budget of money, which all of their turns use.',

  async run(): Promise<Findings> {
    const provider = await startProvider();
    await provider.setReplies({ tokens: 30, everyMs: 0 });
    const started = async () => {
      const { url } = await createDatabase();
      return provider.startService('chat', url);
    };
    const [without, tokens, money] = [await started(), await started(), await started()];
    await setBudget(tokens, { tokens: 1_000_000_000_000 });
    await setBudget(money, { amount: '100000000' });
    const order = {
      headers: JSON_BY_KEY,
      first: [START],
      repeat: [CONTINUE],
      concurrency: CONCURRENCY,
      durationMs: WINDOW_MS,
      warmUpMs: WINDOW_MS / 5,
    };
    for (const target of [without, tokens, money]) await load(target, { ...order, durationMs: WARM_UP_MS / 2 });
    const variants = { [WITHOUT]: without, [WITH]: tokens, [MONEY]: money };
    const samples = await alternate(
      Object.fromEntries(Object.entries(variants).map(([name, target]) => [name, () => load(target, order)])),
      ROUNDS,
    );
    const base = samples[WITHOUT] ?? [];
    const more = (samples[WITH] ?? []).map(({ cpuMs = 0 }, round) => cpuMs - (base[round]?.cpuMs ?? 0));
    const rows = Object.keys(variants).map((name) => ({
      name,
      figures: {
        cpuMs: figure(samples, name, 'cpuMs'),
        p50: figure(samples, name, 'p50'),
        perSecond: figure(samples, name, 'perSecond'),
        ratio: ratio(samples, name, WITHOUT, 'cpuMs'),
      },
    }));
    const columns = [
      { key: 'cpuMs', title: 'CPU ms/request', digits: 3 },
      { key: 'p50', title: 'p50 ms', digits: 2 },
      { key: 'perSecond', title: 'requests/s', digits: 0 },
      { key: 'ratio', title: 'CPU × without', digits: 2 },
    ];
    const description = 'CPU of a turn with a budget, more than without';
    return {
      tables: [{ title: `Continues of 30 tokens, concurrency ${CONCURRENCY}`, columns, rows }],
      goals: [{ description, limit: 0.1, is: 'at most', unit: 'ms', measured: figureOf(more) }],
    };
  },
};

/** Sets a budget that no load uses up, and the price that it needs. @throws if the service refuses it */
async function setBudget({ url }: Target, limit: object): Promise<void> {
  const price = '{ model: "openai:gpt-bench", inputPerMillion: 1, outputPerMillion: 2 }';
  const query = `mutation ($input: SetBudgetInput!) {
    setModelPrice(input: ${price}) { __typename }
    setBudget(input: $input) { __typename ... on Error { message } }
  }`;
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input: { period: 'TOTAL', ...limit } } }),
  });
  const body = await response.text();
  if (!body.includes('SetBudgetPayload')) throw new Error(`The budget was refused: ${body}`);
}
