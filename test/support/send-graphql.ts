import type { SendOperation } from './all-operations.ts';
import type { Fixtures } from './fixtures.ts';

/** Sends a query or mutation. */
export function graphql(document: string, variables: (fixtures: Fixtures) => object): SendOperation {
  return (client, key, fixtures) => client.graphql(document, variables(fixtures), { key });
}

/** The last event of a subscription is its response. */
export function subscription(document: string, variables: (fixtures: Fixtures) => object): SendOperation {
  return async (client, key, fixtures) => {
    const headers = { accept: 'text/event-stream, application/json' };
    const response = await client.graphql(document, variables(fixtures), { key, headers });
    if (typeof response.body !== 'string') return response;
    const events = [...response.body.matchAll(/^data: (\{.*)$/gm)];
    return { ...response, body: JSON.parse(events.at(-1)?.[1] ?? '{}') };
  };
}

/** The text of a mutation that selects nothing but an error. */
export function textOf(name: string): string {
  const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return `mutation ($input: ${type}Input!) { ${name}(input: $input) { __typename ... on Error { code message } } }`;
}

/** Sends a mutation with this input. */
export const input = (name: string, value: object): SendOperation => graphql(textOf(name), () => ({ input: value }));
