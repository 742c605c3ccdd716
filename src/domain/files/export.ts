import type { Prisma } from '../../db/generated/client.ts';
import { type Keyset, readAllRows } from '../../db/keyset.ts';
import type { Context } from '../context.ts';

/** A file as an export lists it. Its bytes are read at `path`, with credentials. */
export interface ExportedFile extends Readonly<Record<string, unknown>> {
  readonly file_id: string;
  readonly name: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  readonly sha256: string | null;
  readonly path: string;
  readonly conversation_ids: readonly string[];
  readonly created_at: Date;
}

const FILES = {
  list: 'exported files',
  columns: [
    { field: 'createdAt', type: 'date' },
    { field: 'id', type: 'string' },
  ],
  direction: 'asc',
} as const satisfies Keyset<Row>;

const ROW = { uses: { select: { conversationId: true } } } satisfies Prisma.StoredFileInclude;

type Row = Prisma.StoredFileGetPayload<{ include: typeof ROW }>;

const PAGE = 200;

/** The complete files of the environment, or of one conversation, oldest first. */
export async function* exportedFiles(ctx: Context, conversationId?: string): AsyncGenerator<ExportedFile, undefined> {
  const used = conversationId === undefined ? {} : { uses: { some: { conversationId } } };
  const rows = readAllRows<Row>(FILES, PAGE, ({ where, ...query }) =>
    ctx.db.storedFile.findMany({ ...query, where: { ...where, ...used, status: 'ready' }, include: ROW }),
  );
  for await (const row of rows) yield exported(row, conversationId);
}

function exported({ id, uses, ...row }: Row, conversationId: string | undefined): ExportedFile {
  const ids = uses.flatMap((use) => use.conversationId ?? []);
  return {
    file_id: id,
    name: row.name,
    mime_type: row.mimeType,
    size_bytes: row.sizeBytes,
    sha256: row.sha256,
    path: `/v1/files/${id}`,
    conversation_ids: conversationId === undefined ? ids : [conversationId],
    created_at: row.createdAt,
  };
}
