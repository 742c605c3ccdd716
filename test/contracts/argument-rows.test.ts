import { describe, expect, it } from 'vitest';
import { argumentRows } from '../../src/web/calls/forms/argument-rows.ts';

const rows = (args: object, properties: object = {}, locale = 'en-US', required?: readonly string[]) =>
  argumentRows(args as never, { type: 'object', properties, required }, locale);

describe('the arguments that an approval shows', () => {
  it('are in the order of the schema, with its titles, and contain those that it does not name', () => {
    const shown = rows({ note: 'n', extra: 'e', order: 'o' }, { order: { title: 'Order number' }, gone: {}, note: {} });
    expect(shown.map(({ name, title, text }) => [name, title, text])).toEqual([
      ['order', 'Order number', 'o'],
      ['note', undefined, 'n'],
      ['extra', undefined, 'e'],
    ]);
  });

  it('begin with the required ones', () => {
    const shown = rows({ a: 1, b: 2, c: 3 }, { a: {}, b: {}, c: {} }, 'en', ['c', 'gone', 'b']);
    expect(shown.map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  });

  it.each([
    [{ amount: 2_000, currency: 'eur' }, '2,000 EUR'],
    [{ amount: 0.1, currency: 'USD' }, '0.1 USD'],
    [{ amount: 1_234_567.891 }, '1,234,567.891'],
    [{ count: 3, currency: 'EUR' }, '3'],
    [{ amount: 5, currency: 'points' }, '5'],
  ])('have numbers with their digits and the currency of the call: %j', (args, text) => {
    expect(rows(args)[0]?.text).toBe(text);
  });

  it('have dates in words and unchanged', () => {
    expect(rows({ due: '2026-12-03' })[0]?.text).toBe('Thursday, December 3, 2026 (2026-12-03)');
    expect(rows({ due: '2026-12-03' }, {}, 'de')[0]?.text).toBe('Donnerstag, 3. Dezember 2026 (2026-12-03)');
    expect(rows({ at: '2026-12-03T10:00:00Z' })[0]?.text).toMatch(/2026 at .* \(2026-12-03T10:00:00Z\)$/);
  });

  it.each(['2026-13-45', 'on 2026-12-03', '2026-12-03T10:00', '12/03/2026'])('leave %s as it is', (text) => {
    expect(rows({ text })[0]?.text).toBe(text);
  });

  it.each([
    [{ items: [{ id: 1 }] }, '[\n  {\n    "id": 1\n  }\n]'],
    [{ flag: false }, 'false'],
    [{ nothing: null }, 'null'],
  ])('show other values as JSON: %j', (args, text) => {
    expect(rows(args)[0]).toMatchObject({ text, isCode: true });
  });

  it('need no schema, and do not find inherited names', () => {
    expect(argumentRows({ toString: 'x' } as never, undefined, 'en')).toHaveLength(1);
    expect(argumentRows({} as never, { properties: { toString: {} } }, 'en')).toHaveLength(0);
  });
});
