// `npm run upgrade-drill` upgrades two processes one after another under load, on a new PostgreSQL server in a temporary folder
// with 1,000,000 rows, and prints what it checked. `-- --rows N` changes the number, and `-- --from FOLDER` names the folder of
// the build that serves at first, for example a checkout of the previous release. Exits with 1 if a check fails.
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { newApiKey } from '../src/domain/access/tokens.ts';
import { freePorts } from '../test/support/free-ports.ts';
import { killAll } from '../test/support/process.ts';
import { SERVER_PROGRAMS, startScratchServer } from '../test/support/scratch-server.ts';
import { rollingUpgrade, type UpgradeResult } from '../test/support/upgrade/rolling-upgrade.ts';
import { freshBundle } from './build.mjs';

/** The migration may hold requests for 1.5 s, while somebody else reads the table. */
const LONGEST_MS = 2_500;

function verdictsOf(result: UpgradeResult, rows: number): readonly (readonly [isOk: boolean, text: string])[] {
  const { failures, lost, longestMs, indexIsValid, values } = result;
  return [
    [failures.length === 0, `requests: ${failures.length} failed${failures.slice(0, 3).map((one) => `, ${one}`)}`],
    [lost.length === 0, `writes: ${lost.length} acknowledged writes are missing`],
    [longestMs <= LONGEST_MS, `longest request: ${Math.round(longestMs)} ms, of ${LONGEST_MS} ms`],
    [indexIsValid, `index: it is ${indexIsValid ? 'valid' : 'missing or invalid'}`],
    [values >= rows, `column: ${values.toLocaleString('en')} rows have the default`],
  ];
}

async function main(rows: number, from: string | undefined): Promise<boolean> {
  await freshBundle('main.js');
  const [port = 0] = await freePorts(1);
  const server = await startScratchServer(port);
  const key = newApiKey('live');
  const env = { DATABASE_URL: server.url, SECRET_KEY: randomBytes(32).toString('base64'), BOOTSTRAP_API_KEY: key };
  const store = { url: server.url, key, env, remove: server.remove };
  try {
    const report = (name: string, text: string) => console.log(`ok      ${name}: ${text}`);
    const verdicts = verdictsOf(await rollingUpgrade({ store, rows, from, report }), rows);
    for (const [isOk, text] of verdicts) console.log(`${isOk ? 'ok    ' : 'FAILED'}  ${text}`);
    return verdicts.every(([isOk]) => isOk);
  } finally {
    await killAll();
    await server.remove();
  }
}

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' }, from: { type: 'string' } } });
const rows = Number(values.rows);
if (!Number.isInteger(rows) || rows < 1_000) throw new Error('--rows must be a whole number of at least 1000.');
if (!SERVER_PROGRAMS)
  throw new Error('initdb and pg_ctl are not installed on this machine. Install a PostgreSQL server.');
const passed = await main(rows, values.from);
console.log(passed ? 'The upgrade blocks no request.' : 'The drill failed.');
process.exit(passed ? 0 : 1);
