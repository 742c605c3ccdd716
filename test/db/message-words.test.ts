import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let home: TestDatabase;
let database: Database;
beforeAll(async () => {
  home = await createDatabase();
  database = await openDatabase(home.location);
});
afterAll(async () => {
  await database.close();
  await home.drop();
});

const text = (value: unknown) => ({ type: 'text', text: value });

/** `long` ends with a word after its 50,000th character. */
const CONTENTS: Readonly<Record<string, unknown>> = {
  'one part': [text('The quick brown fox, twice: fox')],
  'several parts': [text('one'), { type: 'file', text: 'hidden' }, text('two')],
  'accents and other forms of letters': [text('Café ＦＵＬＬ ﬁne naïve')],
  'an accent in one of several parts': [text('plain'), text('Grüße')],
  'another script': [text('你好 世界 Привет')],
  'a long text': [text(`${'word '.repeat(9_999)}last1 beyond`)],
  'a long text that normalization lengthens': [text(`${'ﬃ '.repeat(24_000)}beyond`)],
  'an empty text': [text('')],
  'no text': [{ type: 'file', name: 'a' }],
  'a text that is null': [text(null)],
  'a text that is a number': [text(7)],
  'a text that is an object': [text({ a: 'b' })],
  'no part': [],
  'an object': text('alone'),
  'a nested list': [[text('nested')]],
  null: null,
};

describe('the words of a message', () => {
  it.each(Object.keys(CONTENTS))('are those of its texts without case and accents: %s', async (name) => {
    const content = JSON.stringify(CONTENTS[name]);
    const [row] = await database.sql.rows<{ words: string | null; expected: string | null }>`
      SELECT message_words(content)::text AS words, search_words((
        SELECT string_agg(part #>> '{}', ' ') FROM jsonb_path_query(content, '$[*] ? (@.type == "text").text') AS part
      ))::text AS expected
      FROM (SELECT ${content}::jsonb AS content) AS message`;
    expect(row?.words).toBe(row?.expected);
  });

  it('has a word of each text', async () => {
    const content = JSON.stringify(CONTENTS['several parts']);
    const [row] = await database.sql.rows<{ words: string }>`SELECT message_words(${content}::jsonb)::text AS words`;
    expect(row?.words).toBe("'one':1 'two':2");
  });
});
