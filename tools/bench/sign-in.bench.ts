import { milliseconds, quantile, startBenchService } from './bench-service.ts';

// Signing in with a wrong password: an account that is known against one that is not (goal: within 10 % of each other at
// the median). Measured in turn, from addresses of their own since attempts are limited.

const ROUNDS = 200;

const bench = await startBenchService({ TRUST_PROXY: '1', BOOTSTRAP_EMAIL: 'known@example.com' });
const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { token } }';

async function attempt(email: string, number: number): Promise<number> {
  const address = `2001:db8:${number.toString(16)}::1`;
  const startedAt = performance.now();
  const response = await fetch(`${bench.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ query, variables: { input: { email, password: 'not the password' } } }),
  });
  if (response.status !== 401) throw new Error(`${email}: ${await response.text()}`);
  return performance.now() - startedAt;
}

const known: number[] = [];
const unknown: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  // Attempts are counted by account too.
  await bench.service.services.prisma.user.updateMany({ data: { email: `known${round}@example.com` } });
  known.push(await attempt(`known${round}@example.com`, round * 2 + 1));
  unknown.push(await attempt(`unknown${round}@example.com`, round * 2 + 2));
}
const [one, other] = [quantile(known, 0.5), quantile(unknown, 0.5)];
console.log(`${bench.database}, Node ${process.version}, ${ROUNDS} wrong sign-ins of each kind, in turn`);
console.log(
  `known account ${milliseconds(one)}, unknown ${milliseconds(other)} at the median: ${(other / one).toFixed(3)}`,
);
await bench.close();
