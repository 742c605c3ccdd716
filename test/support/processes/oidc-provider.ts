// Runs `oidc-provider`, a certified implementation of OpenID Connect, for `startProvider`. Its people sign in with any
// password; the name that they type is their ID.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

const { host, client, accounts } = JSON.parse(process.env.OIDC_PROVIDER ?? '') as {
  readonly host: string;
  readonly client: { readonly client_id: string; readonly client_secret: string; readonly redirect_uris: string[] };
  readonly accounts: Readonly<Record<string, object>>;
};

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [client],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
    findAccount: (_context, id) => accounts[id] && { accountId: id, claims: () => ({ sub: id, ...accounts[id] }) },
  });
  server.on('request', provider.callback());
  process.send?.({ issuer });
});
