import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Block, blocksOf, DOCUMENTS } from '../support/document-blocks.ts';
import { freePorts } from '../support/free-ports.ts';
import { startService, type TestService } from '../support/service.ts';
import { openRunner, type Runner } from './runner.ts';
import { differences, lineDifferences } from './shape.ts';

/** Commands that users and the gate paste from README.md, so their blocks carry no note. The gate runs both. */
const GATE_COMMANDS = ['npm ci && npm start', 'npm ci && npm test'];

const isNoted = ({ purpose, text }: Block) =>
  /^run\b|^output$|^not-run="[^"]{8,}"$/.test(purpose) || GATE_COMMANDS.includes(text.trim());

let service: TestService;
beforeAll(async () => {
  // The machine may have no DNS.
  const resolveName = async () => [{ address: '93.184.215.14', family: 4 }];
  const [port = 0] = await freePorts(1);
  // Signed URLs begin with the public address.
  service = await startService(
    { port, publicUrl: `http://127.0.0.1:${port}` },
    { outbound: { allowLoopback: true, resolveName } },
  );
});
afterAll(() => service.close());

describe.each(DOCUMENTS)('%s', (file) => {
  const blocks = blocksOf(file);
  let runner: Runner;
  beforeAll(async () => {
    runner = await openRunner(service);
  });
  afterAll(() => runner.close());

  it('marks every block as run, as output, or with a reason why a test cannot run it', () => {
    const unmarked = blocks.filter((block) => !isNoted(block));
    expect(unmarked.map(({ line, language, purpose }) => `${file}:${line} ${language} ${purpose}`)).toEqual([]);
  });

  const examples = blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    const output = next?.purpose === 'output' ? next : undefined;
    return block.purpose.startsWith('run') ? [{ block, output, line: block.line }] : [];
  });
  if (examples.length === 0) return;

  it.each(examples)('runs the example at line $line', async ({ block, output }) => {
    const printed = await runner.run(block);
    if (!output) expect(printed).not.toMatch(/"errors?":/);
    else if (output.language === 'json') expect(differences(JSON.parse(output.text), JSON.parse(printed))).toEqual([]);
    else expect(lineDifferences(output.text, printed)).toEqual([]);
  });
});

describe('the comparison of outputs', () => {
  it('accepts other numbers and IDs, and rejects other fields, types and words', () => {
    const shown = { id: 'res_01', type: 'ticket', n: 1, list: [{ a: null }, '…'], '…': '…' };
    const real = { id: 'res_02', type: 'ticket', n: 7, list: [{ a: null }, 2], more: true };
    expect(differences(shown, real)).toEqual([]);
    expect(differences(shown, { ...real, type: 'order' })).toHaveLength(1);
    expect(differences(shown, { ...real, n: '7' })).toHaveLength(1);
    expect(differences(shown, { ...real, list: [] })).toHaveLength(1);
    expect(differences({ a: 1 }, { a: 1, b: 2 })).toEqual(['$.b is not shown']);
    expect(lineDifferences('event: next\ndata: …x', 'event: next\ndata: 1x\n')).toEqual([]);
    expect(lineDifferences('data\nevent', 'event\ndata')).toHaveLength(1);
  });
});
