import { expect } from 'vitest';
import type { Client } from './client.ts';

const CHECK = `problems { message line column } scopes maxCost trustedText trustedId breakingChanges
  route { method path status parameters { name place type required } }`;

export const PUBLISH = `mutation ($input: PublishDocumentInput!) { publishDocument(input: $input) {
  __typename
  ... on PublishDocumentPayload { document { id documentId name kind version check { ${CHECK} } } }
  ... on Error { code message path }
  ... on InvalidInput { issues { path message } }
  ... on PreconditionFailed { current { ... on Document { documentId version } } }
  ... on BreakingChange { changes } } }`;

/** Publishes a document, and returns it. */
export async function publish(
  service: Client,
  name: string,
  text: string,
  {
    key,
    ...rules
  }: { readonly key?: string; readonly acknowledgeBreaking?: boolean; readonly ifVersion?: number } = {},
) {
  const { body } = await service.graphql(
    PUBLISH,
    { input: { name, text, ...rules } },
    key === undefined ? {} : { key },
  );
  expect(body.data?.publishDocument, JSON.stringify(body)).toMatchObject({ __typename: 'PublishDocumentPayload' });
  return body.data.publishDocument.document;
}

export async function unpublish(service: Client, id: string) {
  const text = `mutation ($id: ID!) { deleteDocument(input: { id: $id }) {
    ... on DeleteDocumentPayload { deletedId name } ... on Error { code path } } }`;
  return (await service.graphql(text, { id })).body.data.deleteDocument;
}

export async function check(service: Client, name: string, text: string) {
  const query = `query ($name: String!, $text: String!) { documentCheck(name: $name, text: $text) { ${CHECK} } }`;
  const { body } = await service.graphql(query, { name, text });
  expect(body.errors).toBeUndefined();
  return body.data.documentCheck;
}
