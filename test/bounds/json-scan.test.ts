import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonScan } from '../../src/bounds/json-scan.ts';
import { LIMITS } from '../../src/contract/limits.ts';
import { checkLargeJson, REQUEST_JSON, SLICE } from '../../src/operation/json-bounds.ts';
import { leastBlockMs } from '../support/event-loop.ts';
import '../support/seed.ts';

const jsonProblem = (bytes: Buffer) => new JsonScan(bytes, REQUEST_JSON).run(bytes.length);

const unsafeIntegerPath = (text: string) => {
  const problem = jsonProblem(Buffer.from(text));
  return problem?.message.includes('9007199254740991') ? problem.path : undefined;
};

describe('a scan of JSON counts', () => {
  const list = (values: number) => `[${Array(values).fill('0').join()}]`;
  const object = (keys: number) => `{${Array.from({ length: keys }, (_, at) => `"k${at}":0`).join()}}`;
  const problemOf = (text: string) => jsonProblem(Buffer.from(text))?.message;

  it.each([
    ['values', list(LIMITS.jsonValues), list(LIMITS.jsonValues + 1), 'at most 200,000 values'],
    ['keys', object(LIMITS.jsonKeys), object(LIMITS.jsonKeys + 1), 'at most 40,000 keys'],
    ['levels', '['.repeat(LIMITS.jsonLevels), '['.repeat(LIMITS.jsonLevels + 1), 'at most 200 levels'],
  ])('%s', (_what, most, tooMany, message) => {
    expect(problemOf(most)).toBeUndefined();
    expect(problemOf(tooMany)).toContain(message);
  });

  it('nothing in strings', () => {
    const text = `["${'[{,:'.repeat(LIMITS.jsonValues)}","\\\\","${'\\"['.repeat(LIMITS.jsonValues)}"]`;
    expect(problemOf(text)).toBeUndefined();
  });

  it('the same in slices', async () => {
    const text = `{"a":"${'x'.repeat(2 * SLICE)}","b":[${' '.repeat(2 * SLICE)}9007199254740993]}`;
    expect(jsonProblem(Buffer.from(text))?.path).toEqual(['b', 0]);
    const error = await checkLargeJson(Buffer.from(text)).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'invalid_request', details: { param: ['b', 0] } });
  });
});

describe('a scan of JSON', () => {
  it.each([
    ['{"a":9007199254740992}', ['a']],
    ['{"a":-9007199254740993}', ['a']],
    ['{"a": [1, {"b": 12345678901234567890}]}', ['a', 1, 'b']],
    ['[[],{},[0,1e400]]', [2, 1]],
    ['{"__proto__":{"\\"}":1e0400}}', ['__proto__', '"}']],
    ['-1E+999', []],
    ['{"text":"9007199254740993","n":9007199254740993}', ['n']],
    ['{"a\\\\":"\\\\","b":"x\\"","c":9007199254740993}', ['c']],
  ])('finds %s', (text, path) => {
    expect(unsafeIntegerPath(text)).toEqual(path);
  });

  it.each([
    '{"a":9007199254740991,"b":-9007199254740991}',
    '{"a":"9007199254740993, 1e400"}',
    '{"say \\" :9007199254740993":1}',
    '{"a":1.7976931348623157e308,"b":6.02e23,"c":1e-400,"d":0.12345678901234567890}',
    '[]',
  ])('accepts %s', (text) => {
    expect(unsafeIntegerPath(text)).toBeUndefined();
  });

  it('finds an unsafe integer at its path in any JSON, and nothing else', () => {
    const safe = fc.jsonValue({ maxDepth: 4 });
    const step = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', '"', '\\', '9007199254740993'));
    const path = fc.array(fc.oneof(step, fc.nat(3)), { maxLength: 6 });
    const indent = fc.constantFrom('', '\t', '   ');
    fc.assert(
      fc.property(
        path,
        fc.bigInt({ min: 2n ** 53n }),
        fc.boolean(),
        safe,
        indent,
        (steps, size, negative, filler, space) => {
          // The filler is before and after the number at every level.
          const around = JSON.stringify(filler, undefined, space);
          if (unsafeIntegerPath(around) !== undefined) return;
          const number = `${negative ? '-' : ''}${size}`;
          const textWith = (innermost: string) =>
            steps.reduceRight<string>((inside, one) => {
              if (typeof one === 'number') return `[${`${around},`.repeat(one)}${inside},${space}${around}]`;
              return `{"before":${around},${JSON.stringify(one)}${space}:${space}${inside},"after":${around}}`;
            }, innermost);
          expect(unsafeIntegerPath(textWith(number))).toEqual(steps);
          expect(unsafeIntegerPath(textWith('1'))).toBeUndefined();
        },
      ),
    );
  });

  it('never finds a number that JSON.parse and JSON.stringify keep', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const found = unsafeIntegerPath(text);
        // JSON.stringify writes doubles from 2^53 to 10^21 as integers.
        const at = found?.reduce<unknown>((inside, step) => (inside as never)[step], JSON.parse(text));
        if (found) expect(Math.abs(Number(at))).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
      }),
    );
  });

  it('never throws, whatever the text is', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '-', '1e999', '9'.repeat(17), ' ', 'x');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(() => unsafeIntegerPath(pieces.join(''))).not.toThrow();
      }),
    );
  });

  it.each([
    ['many levels', `${'['.repeat(1_000_000)}1${']'.repeat(1_000_000)} ,1e999`],
    ['many quotes and backslashes', `{"a":"${'\\"\\\\'.repeat(1_000_000)}","b":9007199254740993}`],
    ['one long string', `{"a":"${'1e999 '.repeat(1_500_000)}","b":9007199254740993}`],
    ['one long number', `[${'9'.repeat(5_000_000)}]`],
    ['an unfinished string', `[1e999999999999999x,"${'\\'.repeat(5_000_000)}`],
    ['many suspects', `[${'1.1e0001,'.repeat(500_000)}1]`],
  ])('takes linear time for %s', async (_what, text) => {
    expect(await leastBlockMs(async () => unsafeIntegerPath(text), 1_000)).toBeLessThan(1_000);
  });
});
