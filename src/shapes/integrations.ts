import { LIMITS } from '../contract/limits.ts';
import { INTEGRATION_KINDS } from '../contract/statuses.ts';
import { address } from './address.ts';
import { input, required, said } from './field.ts';
import { header, headers } from './headers.ts';
import { choice, flag, id, text } from './kinds.ts';
import { integrationName } from './names.ts';

const HEADER = header('IntegrationHeaderInput', 'A header of each request to the integration.', {
  of: 'The header name, for example Authorization',
  note: 'Connection headers, like Host, are not allowed.',
  value: 'The value',
  valueNote: 'It is stored encrypted and never shown again.',
});

const all = headers(HEADER, '{bounds} headers, each name once');

const trustsHints = flag(
  "Whether the service believes the MCP server's hint that a tool only reads. Then its calls do not count as actions that may have changed something",
);

export const CONNECT_INTEGRATION = input('ConnectIntegrationInput', 'A new integration.', {
  kind: required(choice('The type of the system', INTEGRATION_KINDS)),
  name: required(integrationName),
  url: required(address()),
  headers: all,
  trustsHints: { ...trustsHints, form: 'Default: false.' },
});

export const UPDATE_INTEGRATION = input(
  'UpdateIntegrationInput',
  'Changes to an integration. Omitted fields and null keep the value.',
  {
    id: required(id('Integration', 'The ID: int_ and 26 characters', 'ID')),
    name: integrationName,
    url: address(),
    trustsHints,
    headers: said({ says: 'Replaces all headers', form: 'Required if `url` moves to another host.' }, all),
  },
);

export const SIGN_IN_TO_INTEGRATION = input(
  'SignInToIntegrationInput',
  'The MCP server to sign in to. Most servers need no client ID: the service describes or registers itself.',
  {
    id: required(id('Integration', 'The ID: int_ and 26 characters', 'ID')),
    clientId: text({
      says: 'The client ID of Parley at the authorization server, {bounds}',
      note: 'It is kept until somebody signs out. Omit it to keep the stored one.',
      least: 1,
      most: LIMITS.clientIdLength,
    }),
    clientSecret: text({
      says: 'The client secret, {bounds}',
      note: 'Only with a client ID. It is stored encrypted and never shown again.',
      least: 1,
      most: LIMITS.clientSecretLength,
    }),
  },
);

export const SIGN_OUT_OF_INTEGRATION = input('SignOutOfIntegrationInput', 'The MCP server to sign out of.', {
  id: required(id('Integration', 'The ID: int_ and 26 characters', 'ID')),
});
