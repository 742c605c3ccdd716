import type { Client } from './client.ts';
import type { OwnedStore } from './data-stores.ts';

/** Signs an owner in. Returns the session token. */
export async function signIn(client: Client, { owner }: Pick<OwnedStore, 'owner'>): Promise<string> {
  const { body } = await client.graphql(
    'mutation ($input: SignInInput!) { signIn(input: $input) { __typename ... on SignInPayload { token } ... on Error { code message path } } }',
    { input: owner },
    { key: null },
  );
  return body.data.signIn.token;
}
