import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';

export const historyPath = (id: string) => `/v2/runner/${DEMO_AGENT_ID}/conversation/${id}/history`;
export const messagesPath = (id: string) => `/v1/runner/conversation/${id}/messages`;

/** Query texts that are not decimal integers. */
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

/** REST's integer parameters: their path, values in range and values just out of range. */
export const INTEGERS = [
  { path: historyPath, name: 'limit', inRange: ['1', '100'], outOfRange: ['0', '101', '-1', '-100', '2147483647'] },
  { path: messagesPath, name: 'page', inRange: ['1', '1000'], outOfRange: ['0', '-1', '-2147483648'] },
  { path: messagesPath, name: 'page_size', inRange: ['1', '100'], outOfRange: ['0', '101', '-1', '2147483647'] },
];

/** Changes that make a cursor in a query invalid. */
export const BROKEN_CURSORS: readonly [what: string, change: (cursor: string) => string][] = [
  ['empty', () => ''],
  ['of an unknown format', () => 'abc'],
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
