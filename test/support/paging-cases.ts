import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';

export const historyPath = (id: string) => `/v2/runner/${DEMO_AGENT_ID}/conversation/${id}/history`;
export const messagesPath = (id: string) => `/v1/runner/conversation/${id}/messages`;

/** Query texts that are no decimal integer. */
export const NOT_INTEGERS = [
  '',
  'abc',
  '1.5',
  '1.0',
  '+5',
  '%2B5',
  '1e1',
  '0x10',
  '%205',
  '5%20',
  '1,0',
  'NaN',
  'null',
  'true',
  '[5]',
  '%EF%BC%95',
  '5%00',
  '5%0A',
  '99999999999',
  '1'.repeat(400),
  '%',
  '%ED%A0%80',
];

/** REST's integer parameters: where they stand, what is in range and what is just out of it. */
export const INTEGERS = [
  { path: historyPath, name: 'limit', within: ['1', '100'], beyond: ['0', '101', '-1', '-100', '2147483647'] },
  { path: messagesPath, name: 'page', within: ['1', '1000'], beyond: ['0', '-1', '-2147483648'] },
  { path: messagesPath, name: 'page_size', within: ['1', '100'], beyond: ['0', '101', '-1', '2147483647'] },
];

/** What can be done to a cursor in a query, each of which makes it none. */
export const BROKEN_CURSORS: readonly [what: string, change: (cursor: string) => string][] = [
  ['empty', () => ''],
  ['of another make', () => 'abc'],
  ['cut by one character', (cursor) => cursor.slice(0, -1)],
  ['cut by its first character', (cursor) => cursor.slice(1)],
  ['longer by one character', (cursor) => `${cursor}A`],
  ['padded', (cursor) => `${cursor}=`],
  ['followed by a line break', (cursor) => `${cursor}%0A`],
  ['preceded by a space', (cursor) => `%20${cursor}`],
  ['in another case', (cursor) => cursor.toUpperCase()],
  ['written twice', (cursor) => cursor + cursor],
  ['holding halves of a surrogate pair', (cursor) => `${cursor}%ED%A0%80`],
  ['8,000 characters long', () => 'A'.repeat(8_000)],
];
