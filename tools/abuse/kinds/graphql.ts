import { randomUUID } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import type { Kind } from '../kind.ts';

const MIB = 1024 * 1024;
const COMMENT = `{ __typename } #${'x'.repeat(8 * MIB)}`;
const DEEP = `${'{ a '.repeat(5_000)}${'}'.repeat(5_000)}`;
const FRAGMENTS = Array.from(
  { length: 300 },
  (_, index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 2} }`,
);
const SPREADS = `{ ...F0 } ${FRAGMENTS.join(' ')} fragment F300 on Query { __typename } fragment F301 on Query { __typename }`;
const ALIASES = `{ ${Array.from({ length: 3_000 }, (_, index) => `a${index}: __typename`).join(' ')} }`;
const INTROSPECTION = getIntrospectionQuery();
const EXPENSIVE = `{ resources(first: 100) { nodes { id fields createdAt updatedAt } totalCount }
  conversations(first: 100) { nodes { id name messages(first: 100) { nodes { id } } } } }`;

const query = (text: string, headers: Readonly<Record<string, string>> = {}) =>
  ({ method: 'POST', path: '/graphql', headers, body: { query: text } }) as const;

/** Documents of GraphQL. */
export const GRAPHQL: readonly Kind[] = [
  {
    name: 'huge-documents',
    about: 'Documents with a comment of 8 MiB, each another one, 5 per second',
    attack: (attacker) => attacker.repeat((number) => attacker.send(query(`${COMMENT}${number}`)), { perSecond: 5 }),
  },
  {
    name: 'deep-documents',
    about: 'Documents with 5,000 levels, with 300 fragments that spread each other twice, and with 3,000 aliases',
    attack: (attacker) => {
      const shots = [DEEP, SPREADS, ALIASES].map((text) => query(text));
      return attacker.repeat((number) => attacker.send(shots[number % shots.length] ?? query(DEEP)));
    },
  },
  {
    name: 'distinct-documents',
    about: 'Valid documents of 200 kB, each another one, 20 per second',
    attack: (attacker) =>
      attacker.repeat(
        () => attacker.send(query(`query Q${randomUUID().replaceAll('-', '')} { __typename } #${'y'.repeat(200_000)}`)),
        {
          perSecond: 20,
        },
      ),
  },
  {
    name: 'introspection',
    about: 'Introspection of the whole schema, each time as another document',
    attack: (attacker) =>
      attacker.repeat((number) => attacker.send(query(`${INTROSPECTION}#${number}`)), { perSecond: 20 }),
  },
  {
    name: 'expensive-queries',
    about: 'The most expensive queries that a key allows, one after another',
    attack: (attacker, { key }) =>
      attacker.repeat(() => attacker.send(query(EXPENSIVE, { 'x-api-key': key })), { perSecond: 10, concurrency: 1 }),
  },
];
