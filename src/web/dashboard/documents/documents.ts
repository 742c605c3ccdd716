import { graphql } from '../graphql.ts';

export const DOCUMENTS = graphql(`
  query Documents($filter: DocumentFilter, $first: Int, $after: String, $last: Int, $before: String) {
    documents(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      nodes {
        documentId name kind version updatedAt
        calls { calls errors p95Ms }
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const DOCUMENT = graphql(`
  query Document($id: ID!) {
    document(by: { id: $id }) {
      documentId name kind version createdAt updatedAt
      current { text }
      check {
        problems { message line column }
        scopes maxCost trustedText trustedId breakingChanges
        route { method path status parameters { name place type required } }
      }
    }
  }
`);

export const DOCUMENT_CALLS = graphql(`
  query DocumentCalls($id: ID!, $days: Int!) {
    document(by: { id: $id }) {
      calls(days: $days) {
        calls errors averageMs medianMs p95Ms lastCalledAt
        days { day calls errors medianMs p95Ms }
      }
    }
  }
`);

export const DOCUMENT_VERSIONS = graphql(`
  query DocumentVersions($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    document(by: { id: $id }) {
      versions(first: $first, after: $after, last: $last, before: $before) {
        nodes {
          id number createdAt acknowledgedChanges authorKind
          author { __typename ... on User { name } ... on ApiKey { name } }
        }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`);

export const VERSION_TEXT = graphql(`
  query DocumentVersionText($id: ID!) {
    node(id: $id) { ... on DocumentVersion { text } }
  }
`);

export const CHECK_DOCUMENT = graphql(`
  query CheckDocument($name: String!, $text: String!) {
    documentCheck(name: $name, text: $text) {
      problems { message line column }
      scopes maxCost trustedText trustedId breakingChanges
      route { method path status parameters { name place type required } }
    }
  }
`);

export const PUBLISH_DOCUMENT = graphql(`
  mutation PublishDocument($input: PublishDocumentInput!) {
    publishDocument(input: $input) {
      __typename
      ... on PublishDocumentPayload {
        document { documentId version }
      }
      ... on Error { code message path }
    }
  }
`);

export const UNPUBLISH_DOCUMENT = graphql(`
  mutation DeleteDocument($id: ID!) {
    deleteDocument(input: {id: $id}) {
      __typename
      ... on DeleteDocumentPayload { name }
      ... on Error { code message path }
    }
  }
`);
