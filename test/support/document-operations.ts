import { randomUUID } from 'node:crypto';
import type { SendOperation } from './all-operations.ts';
import type { Client } from './client.ts';
import { publish } from './documents.ts';
import type { Provoke } from './turn-error-rows.ts';

/** A published document: its public ID, and the global IDs of itself and its version. */
export interface DocumentFixture {
  readonly documentId: string;
  /** The names of a document that reads the fixtures, and of one that creates a resource. */
  readonly names: { readonly read: string; readonly write: string };
  readonly nodes: { readonly document: string; readonly version: string };
}

const TEXT = '{ documents { totalCount } }';

const anyName = () => `d${randomUUID().replaceAll('-', '')}`;

export async function createDocumentFixture(owner: Client, marker: string): Promise<DocumentFixture> {
  const { id, documentId } = await publish(owner, anyName(), `${TEXT} # ${marker}`);
  const read = 'query ($by: DocumentBy!) { document(by: $by) { current { id } } }';
  const { body } = await owner.graphql(read, { by: { id: documentId } });
  return {
    documentId,
    names: await publishCalled(owner, marker),
    nodes: { document: id, version: body.data.document.current.id },
  };
}

async function publishCalled(owner: Client, marker: string): Promise<DocumentFixture['names']> {
  const names = { read: anyName(), write: anyName() };
  const planted = '{ resources(first: 100, filter: { type: "planted" }) { nodes { fields } } }';
  const create = 'createResource(input: $input) { ... on CreateResourcePayload { resource { type } } }';
  await publish(owner, names.read, `"${marker}" query ${planted}`);
  await publish(owner, names.write, `mutation ($input: CreateResourceInput!) { ${create} }`);
  return names;
}

const send =
  (document: string, variables: (fixture: DocumentFixture) => object): SendOperation =>
  (client, key, { document: fixture }) =>
    client.graphql(document, variables(fixture), { key });

const ERRORS = '... on Error { code message path }';

/** The request of each root field of documents for the fixtures. */
export const DOCUMENT_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Query.document': send('query ($id: ID!) { document(by: { id: $id }) { name current { text } } }', (fixture) => ({
    id: fixture.documentId,
  })),
  'Query.documents': send('{ documents(first: 100) { nodes { current { text } } totalCount } }', () => ({})),
  'Query.documentCheck': send(
    'query ($text: String!) { documentCheck(name: "a_check", text: $text) { problems { message } } }',
    () => ({ text: TEXT }),
  ),
  'Mutation.publishDocument': send(
    `mutation ($input: PublishDocumentInput!) { publishDocument(input: $input) {
      __typename ... on PublishDocumentPayload { document { name } } ${ERRORS} } }`,
    () => ({ input: { name: anyName(), text: TEXT } }),
  ),
  'Mutation.deleteDocument': send(
    `mutation ($id: ID!) { deleteDocument(input: { id: $id }) {
      __typename ... on DeleteDocumentPayload { name } ${ERRORS} } }`,
    ({ documentId }) => ({ id: documentId }),
  ),
};

/** A request for every error of the mutations of documents. */
export const DOCUMENT_ERROR_ROWS: Readonly<Record<string, Provoke>> = {
  'publishDocument invalid_request': () => ({ input: { name: 'Not valid', text: TEXT } }),
  'publishDocument precondition_failed': () => ({ input: { name: anyName(), text: TEXT, ifVersion: 1 } }),
  'publishDocument breaking_change': async (service) => {
    const name = anyName();
    await publish(service, name, '{ documents { totalCount pageInfo { hasNextPage } } }');
    return { input: { name, text: TEXT } };
  },
  'deleteDocument not_found': () => ({ input: { id: 'doc_unknown' } }),
};
