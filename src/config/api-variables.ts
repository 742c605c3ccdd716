import { choice } from './formats.ts';
import { variable } from './variable.ts';

/** The parts of the APIs that an operator turns on or off. */
export const API_VARIABLES = {
  INTROSPECTION: variable(
    {
      meaning:
        'With off, GraphQL introspection is rejected, and /schema.graphql, /openapi.json, /docs and the explorer ' +
        'return 404.',
      default: 'on',
    },
    choice('on', 'off'),
  ),
  FEDERATION: variable(
    {
      meaning: 'With on, the GraphQL API is a subgraph of Apollo Federation: it has the fields _service and _entities.',
      default: 'off',
    },
    choice('on', 'off'),
  ),
  MCP_DYNAMIC_REGISTRATION: variable(
    {
      meaning:
        'With on, apps that members connect can register themselves, without a document at a URL. Nobody vouches for ' +
        'such an app.',
      default: 'off',
    },
    choice('on', 'off'),
  ),
} as const;
