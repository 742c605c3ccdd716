import type { Document, DocumentVersion } from '../../db/generated/client.ts';
import { type Keyset, readAllRows } from '../../db/keyset.ts';
import type { Context } from '../context.ts';
import { LARGE_ROWS, linesOf, type RowLine, SMALL_ROWS } from './lines.ts';

const DOCUMENTS: Keyset<Document> = {
  list: 'exported documents',
  columns: [
    { field: 'createdAt', type: 'date' },
    { field: 'id', type: 'string' },
  ],
  direction: 'asc',
};

const VERSIONS: Keyset<DocumentVersion> = {
  list: 'exported document versions',
  columns: [{ field: 'number', type: 'int' }],
  direction: 'asc',
};

/** The published documents, each with its versions. Without the counts of their calls. */
export async function* documentLines(ctx: Context): AsyncGenerator<RowLine, undefined> {
  for await (const document of readAllRows(DOCUMENTS, SMALL_ROWS, (query) => ctx.db.document.findMany(query))) {
    yield { type: 'document', data: documentData(document) };
    const versions = readAllRows(VERSIONS, LARGE_ROWS, ({ where, ...query }) =>
      ctx.db.documentVersion.findMany({ where: { ...where, documentId: document.id }, ...query }),
    );
    yield* linesOf('document_version', versions, versionData);
  }
}

const documentData = ({ id, name, kind, version, createdAt, updatedAt }: Document): RowLine['data'] => ({
  id,
  name,
  kind,
  version,
  created_at: createdAt,
  updated_at: updatedAt,
});

const versionData = (row: DocumentVersion): RowLine['data'] => ({
  document_id: row.documentId,
  number: row.number,
  text: row.text,
  trusted_id: row.trustedId,
  acknowledged_changes: row.acknowledged,
  created_at: row.createdAt,
});
