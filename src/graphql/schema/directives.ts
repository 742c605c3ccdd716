import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  type GraphQLEnumType,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';

const { FIELD_DEFINITION, OBJECT } = DirectiveLocation;

const listOf = <Type extends GraphQLLeafType>(type: Type) =>
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));

const NO = { type: new GraphQLNonNull(GraphQLBoolean), defaultValue: false };

/** The directives of the printed schema. They describe what the service enforces. */
function directivesOf(schema: GraphQLSchema): GraphQLDirective[] {
  return [
    new GraphQLDirective({
      name: 'requiresScopes',
      description:
        'The scopes that the caller needs for the field, or for an object of the type by `node` and `nodes`. Without them a nullable field of an object is null, and every other field is an error. A root field without a directive of this kind is public.',
      locations: [FIELD_DEFINITION, OBJECT],
      args: {
        scopes: {
          type: listOf(schema.getType('Scope') as GraphQLEnumType),
          description:
            'An API key needs all of them. If there are several, a member must be an owner or admin, unless `anyRole` is set.',
        },
        anyRole: { ...NO, description: 'Members need the scopes like API keys, whatever their role.' },
        anonymous: {
          ...NO,
          description: 'Callers without credentials need no scope if the deployment admits them.',
        },
      },
    }),
    new GraphQLDirective({
      name: 'requiresMember',
      description: 'The caller must be a signed-in member. API keys are rejected.',
      locations: [FIELD_DEFINITION, OBJECT],
      args: { administrator: { ...NO, description: 'The member must be an owner or admin.' } },
    }),
    new GraphQLDirective({
      name: 'requiresCredentials',
      description: 'The caller needs a valid credential, with any scopes.',
      locations: [FIELD_DEFINITION, OBJECT],
    }),
    new GraphQLDirective({
      name: 'cost',
      description: 'The cost of the field, in addition to 1 for each object that it returns.',
      locations: [FIELD_DEFINITION],
      args: { weight: { type: new GraphQLNonNull(GraphQLInt), description: 'The additional cost.' } },
    }),
    new GraphQLDirective({
      name: 'listSize',
      description: 'How many items the cost limit counts for a list.',
      locations: [FIELD_DEFINITION],
      args: {
        assumedSize: {
          type: new GraphQLNonNull(GraphQLInt),
          description: 'The number of items if no argument names it.',
        },
        slicingArguments: {
          type: listOf(GraphQLString),
          defaultValue: [],
          description: 'The arguments that name it: a page size, or the IDs of the items. The largest one counts.',
        },
        sizedFields: {
          type: listOf(GraphQLString),
          defaultValue: [],
          description: 'The lists of the returned page that have this size. Empty: the field itself is the list.',
        },
      },
    }),
  ];
}

/** Adds the definitions of the directives. `printSdl` applies them. */
export function withDirectives(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig();
  return new GraphQLSchema({ ...config, directives: [...config.directives, ...directivesOf(schema)] });
}
