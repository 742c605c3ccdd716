import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { isTypeId } from '../../contract/ids.ts';
import type { DocumentKind } from '../../contract/statuses.ts';
import { type Document, Prisma } from '../../db/generated/client.ts';
import { type ListOrder, newestFirst, ordered } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import { DOCUMENT_FILTER } from '../../shapes/documents.ts';
import { rulesOf } from '../../shapes/field.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { AUTHOR_COLUMNS, AUTHOR_JOINS, type AuthorRow, authorOf, authorProblem } from './author.ts';
import type { CheckedDocument, VersionText } from './compiler-port.ts';

/** Documents, newest first. */
const DOCUMENTS = newestFirst<Document>('documents', 'createdAt');

/** A document's ID or its name. */
export type DocumentAddress =
  | { readonly id: string; readonly name?: null | undefined }
  | { readonly name: string; readonly id?: null | undefined };

/** The conditions of a list. A document must fulfill all of them. */
export interface DocumentFilter {
  readonly kind?: DocumentKind | null | undefined;
  /** Part of the name. */
  readonly search?: string | null | undefined;
}

/** Finds a document. `query` selects its fields. @throws {ServiceError} not_found */
export async function findDocument(ctx: Context, { id, name }: DocumentAddress, query: object = {}): Promise<Document> {
  const where = id == null ? { name: name ?? '' } : { id };
  const isPossible = id == null || isTypeId('doc', id);
  const document = isPossible ? await ctx.db.document.findFirst({ ...query, where }) : null;
  if (document) return document;
  throw documentNotFound(id == null ? 'name' : 'id');
}

function documentNotFound(param: 'id' | 'name'): ServiceError {
  const message = `There is no document with this ${param === 'id' ? 'ID' : 'name'} in this environment. Check {param}.`;
  return new ServiceError('not_found', message, { param: [param] });
}

const documentFilter = z.object({ filter: z.object(rulesOf(DOCUMENT_FILTER.fields)) });

/** A page of the environment's documents. `query` selects their fields. @throws {ServiceError} invalid_request */
export async function listDocuments(
  ctx: Context,
  args: PageArgs,
  { filter, order }: { readonly filter: DocumentFilter; readonly order: ListOrder<'createdAt' | 'updatedAt'> | null },
  query: object,
): Promise<KeysetPage<Document>> {
  const { kind = null, search = null } = parseInput(documentFilter, { filter }).filter;
  const where = { ...(kind && { kind }), ...(search !== null && { name: { contains: search.toLowerCase() } }) };
  const binding = { secret: ctx.services.settings.secretKey, filters: [ctx.environment.id, kind, search] };
  return keysetPage(ordered(DOCUMENTS, order), args, binding, {
    find: ({ where: bounds, ...page }) =>
      ctx.db.document.findMany({ ...query, ...page, where: { AND: [where, bounds] } }),
    count: () => ctx.db.document.count({ where }),
  });
}

type Source = Pick<Context, 'sql' | 'environment'>;

/** A version of a document of the environment. Its text and its author are read when they are needed. */
export function versionText(
  source: Source,
  { id: documentId, name }: Pick<Document, 'id' | 'name'>,
  number: number,
  author = () => readAuthor(source, documentId, number),
): VersionText {
  const { sql, environment } = source;
  const text = async () => {
    const [row] = await sql.rows<{ text: string }>`
      SELECT text FROM document_version
      WHERE document_id = ${documentId} AND number = ${number} AND environment_id = ${environment.id}::uuid`;
    return row?.text;
  };
  return { documentId, number, name, text, author };
}

async function readAuthor({ sql, environment }: Source, id: string, number: number) {
  const [row] = await sql.rows<AuthorRow>`
    SELECT ${AUTHOR_COLUMNS} FROM document_version v ${AUTHOR_JOINS}
    WHERE v.document_id = ${id} AND v.number = ${number} AND v.environment_id = ${environment.id}::uuid`;
  return row && authorOf(row);
}

interface VersionRow extends AuthorRow {
  readonly id: string;
  readonly name: string;
  readonly number: number;
}

/** A version with its author, as one statement read them. */
function versionOf(source: Source, row: VersionRow): VersionText {
  const author = Promise.resolve(authorOf(row));
  return versionText(source, row, row.number, () => author);
}

/** The current version of the document with this name, which REST and MCP run. */
export async function currentVersion(source: Source, name: string): Promise<VersionText | undefined> {
  const [row] = await source.sql.rows<VersionRow>`
    SELECT d.id, d.name, d.version AS number, ${AUTHOR_COLUMNS} FROM published_document d ${CURRENT} ${AUTHOR_JOINS}
    WHERE d.environment_id = ${source.environment.id}::uuid AND d.name = ${name}`;
  return row && versionOf(source, row);
}

const CURRENT = Prisma.sql`
  JOIN document_version v ON v.document_id = d.id AND v.number = d.version AND v.environment_id = d.environment_id`;

/** Limit: documents with the same text whose authors are looked up for one call. */
const MOST_TRUSTED = 20;

/**
 * The latest version with this trusted ID of each document that has one. They have the same trusted text. It can run if one
 * of their authors may call it.
 */
export async function trustedVersions(source: Source, trustedId: string): Promise<VersionText[]> {
  const rows = await source.sql.rows<VersionRow>`
    SELECT DISTINCT ON (d.id) d.id, d.name, v.number, ${AUTHOR_COLUMNS}
    FROM document_version v JOIN published_document d ON d.id = v.document_id AND d.environment_id = v.environment_id ${AUTHOR_JOINS}
    WHERE v.environment_id = ${source.environment.id}::uuid AND v.trusted_id = ${trustedId}
      AND d.environment_id = v.environment_id
    ORDER BY d.id, v.number DESC LIMIT ${MOST_TRUSTED}`;
  return rows.map((row) => versionOf(source, row));
}

/** The current versions of all documents of the environment, by name. Their number is limited. */
export async function currentVersions(source: Source): Promise<VersionText[]> {
  const rows = await source.sql.rows<VersionRow>`
    SELECT d.id, d.name, d.version AS number, ${AUTHOR_COLUMNS} FROM published_document d ${CURRENT} ${AUTHOR_JOINS}
    WHERE d.environment_id = ${source.environment.id}::uuid ORDER BY d.name COLLATE "C"`;
  return rows.map((row) => versionOf(source, row));
}

/** A version as this release compiles it. A version that cannot run for its author has that problem. */
export async function checkVersion(
  { services }: Pick<Context, 'services'>,
  version: VersionText,
): Promise<CheckedDocument> {
  const checked = await services.ports.documents.checkVersion(version);
  const problem = checked.contract && authorProblem(await version.author(), checked.contract.requirements);
  if (problem === undefined) return checked;
  return { problems: [{ message: problem, line: 1, column: 1 }], contract: undefined };
}
