import { graphql } from '../graphql.ts';

export const UPDATE_ME = graphql(`
  mutation UpdateMe($name: String!) {
    updateMe(input: {name: $name}) {
      __typename
      ... on UpdateMePayload { me { user { name } } }
      ... on Error { code message path }
    }
  }
`);

export const UPDATE_WORKSPACE = graphql(`
  mutation UpdateWorkspace($name: String!) {
    updateWorkspace(input: {name: $name}) {
      __typename
      ... on UpdateWorkspacePayload { workspace { name } }
      ... on Error { code message path }
    }
  }
`);
