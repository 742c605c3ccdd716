import { graphql } from '../graphql.ts';

export const RESOURCES = graphql(`
  query Resources(
    $type: String
    $field: ResourceFieldFilter
    $first: Int
    $after: String
    $last: Int
    $before: String
  ) {
    resources(filter: { type: $type, field: $field }, first: $first, after: $after, last: $last, before: $before) {
      nodes { resourceId type fields updatedAt }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const CREATE_RESOURCE = graphql(`
  mutation CreateResource($input: CreateResourceInput!) {
    createResource(input: $input) {
      __typename
      ... on CreateResourcePayload {
        resource { resourceId }
      }
      ... on Error { code message path }
    }
  }
`);

export const RESOURCE = graphql(`
  query Resource($id: ID!) {
    resource(id: $id) { resourceId type fields etag createdAt updatedAt }
  }
`);

export const UPDATE_RESOURCE = graphql(`
  mutation UpdateResource($input: UpdateResourceInput!) {
    updateResource(input: $input) {
      __typename
      ... on UpdateResourcePayload {
        resource { etag fields }
      }
      ... on Error { code message path }
    }
  }
`);

export const DELETE_RESOURCE = graphql(`
  mutation DeleteResource($id: ID!, $ifMatch: String) {
    deleteResource(input: {id: $id, ifMatch: $ifMatch}) {
      __typename
      ... on DeleteResourcePayload {
        resource { resourceId }
      }
      ... on Error { code message path }
    }
  }
`);

export const EVENTS_OF_RESOURCE = graphql(`
  query EventsOfResource($id: ID!) {
    events(filter: { resourceId: $id }, first: 10) { nodes { eventId type occurredAt } }
  }
`);
