import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import { type Annotations, enforced, printSdl } from '../sdl/print.ts';

const LINK = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
`;

/** The schema with the directives of Apollo Federation. */
export function subgraphSdl(schema: GraphQLSchema): string {
  const own = enforced(schema);
  const annotations: Annotations = {
    ...own,
    ofType: (type) => own.ofType(type) + ofType(type),
  };
  // Composition does not know @oneOf (@apollo/composition 2.15). The service enforces it for gateways too.
  return `${LINK}\n${printSdl(schema, annotations).replace(/^(input \w+) @oneOf /gm, '$1 ')}`;
}

function ofType(type: GraphQLObjectType): string {
  // Every subgraph with Relay connections has this type.
  if (type.name === 'PageInfo') return ' @shareable';
  return type.getInterfaces().some(({ name }) => name === 'Node') ? ' @key(fields: "id")' : '';
}
