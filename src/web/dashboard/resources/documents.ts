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
    resources(type: $type, field: $field, first: $first, after: $after, last: $last, before: $before) {
      nodes { resourceId type fields updatedAt }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const CREATE_RESOURCE = graphql(`
  mutation CreateResource($input: CreateResourceInput!) {
    createResource(input: $input) { resourceId }
  }
`);

export const RESOURCE = graphql(`
  query Resource($id: ID!) {
    resource(id: $id) { resourceId type fields etag createdAt updatedAt }
  }
`);

export const UPDATE_RESOURCE = graphql(`
  mutation UpdateResource($id: ID!, $input: UpdateResourceInput!, $ifMatch: String) {
    updateResource(id: $id, input: $input, ifMatch: $ifMatch) { etag fields }
  }
`);

export const DELETE_RESOURCE = graphql(`
  mutation DeleteResource($id: ID!, $ifMatch: String) {
    deleteResource(id: $id, ifMatch: $ifMatch) { resourceId }
  }
`);

export const EVENTS_OF_RESOURCE = graphql(`
  query EventsOfResource($id: ID!) {
    events(resourceId: $id, first: 10) { nodes { eventId type occurredAt } }
  }
`);
