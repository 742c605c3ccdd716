import { z } from 'zod';
import { type InputIssue, ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Document } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { DOCUMENT } from '../../shapes/documents.ts';
import { rulesOf } from '../../shapes/field.ts';
import { recordEffect } from '../access/claimed-effect.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { rowKey } from '../row-key.ts';
import { newTypeId } from '../type-id.ts';
import { authorProblem, requireAuthor } from './author.ts';
import type { CheckedDocument, DocumentContract, DocumentProblem, VersionText } from './compiler-port.ts';
import { addedWrites, requireAdministrator, writeChanges } from './effects.ts';
import { findDocument, versionText } from './reads.ts';

export const documentInput = z.object(rulesOf(DOCUMENT));

/** The text to publish under a name. */
export interface DocumentInput {
  readonly name: string;
  readonly text: string;
}

/** The conditions of a publication. */
export interface PublicationRules {
  /** Publishes changes that break callers. */
  readonly acknowledgeBreaking?: boolean | null | undefined;
  /** The version that the caller has read. 0: there is no document with this name. */
  readonly ifVersion?: number | null | undefined;
}

/** A check of a text, without effect. @throws {ServiceError} invalid_request for the name and the length of the text */
export async function checkDocument(
  ctx: Context,
  input: DocumentInput,
): Promise<{ readonly checked: CheckedDocument; readonly breakingChanges: readonly string[] }> {
  const { name, text } = parseInput(documentInput, input);
  const checked = await ctx.services.ports.documents.check(name, text);
  const { contract } = checked;
  if (!contract) return { checked, breakingChanges: [] };
  const problem = callerProblem(ctx.caller, contract);
  if (problem) return { checked: { problems: [problem], contract: undefined }, breakingChanges: [] };
  const current = await currentOf(ctx, name);
  const added = await addedWrites(ctx, current, { name, text, contract });
  return { checked, breakingChanges: [...writeChanges(added), ...(await breakingChanges(ctx, current, text))] };
}

/** What prevents the caller from publishing a valid text. */
function callerProblem(caller: Context['caller'], { requirements }: DocumentContract): DocumentProblem | undefined {
  try {
    requireAuthor(caller, requirements);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return { message: error.message, line: 1, column: 1 };
    throw error;
  }
}

interface Current {
  readonly document: Document;
  readonly version: VersionText;
}

async function currentOf(ctx: Context, name: string): Promise<Current | undefined> {
  const document = await ctx.db.document.findFirst({ where: { name } });
  return document ? { document, version: versionText(ctx, document, document.version) } : undefined;
}

/** Whether the text is the current version, and can still run. Publishing it again gives it another author. */
async function isUnchanged({ version }: Current, text: string, { requirements }: DocumentContract): Promise<boolean> {
  return (await version.text()) === text && authorProblem(await version.author(), requirements) === undefined;
}

async function breakingChanges(ctx: Context, current: Current | undefined, text: string): Promise<readonly string[]> {
  return current ? ctx.services.ports.documents.breakingChanges(current.version, text) : [];
}

/**
 * Publishes a text under a name, as a new document or as its next version. An equal text publishes nothing. The text is
 * compiled before the transaction; the transaction checks that the compared version is still the current one.
 * @throws {ServiceError} invalid_request, precondition_failed, breaking_change; forbidden if the caller may not call the
 * root fields, or is no administrator and the text does more than the current version
 */
export async function publishDocument(
  ctx: Context,
  input: DocumentInput,
  { acknowledgeBreaking, ifVersion }: PublicationRules,
): Promise<Document> {
  const { name, text } = parseInput(documentInput, input);
  // Only this function writes this effect.
  const existing = ctx.request.claim?.effect as { readonly documentId: string } | null | undefined;
  if (existing) return findDocument(ctx, { id: existing.documentId });
  const contract = requireValid(await ctx.services.ports.documents.check(name, text));
  requireAuthor(ctx.caller, contract.requirements);
  const current = await currentOf(ctx, name);
  requireVersion(ifVersion, current?.document);
  if (current && (await isUnchanged(current, text, contract))) return current.document;
  const added = await addedWrites(ctx, current, { name, text, contract });
  const changes = [...writeChanges(added), ...(await breakingChanges(ctx, current, text))];
  if (changes.length > 0 && !acknowledgeBreaking) throw breakingChange(changes);
  // Callers have agreed to the effects of the version before, and an author must not choose others for them.
  if (added.length > 0) requireAdministrator(ctx.caller, added);
  const next = { name, text, contract, changes };
  return inTransaction(ctx.db, async (tx) => {
    await lockDocuments(ctx, tx);
    const locked = await tx.document.findFirst({ where: { name } });
    // Another publication came first: these changes are compared with a version that is no longer current.
    if (locked?.version !== current?.document.version || locked?.id !== current?.document.id) {
      throw versionChanged(locked);
    }
    const document = locked ? await replace(ctx, tx, locked, next) : await create(ctx, tx, next);
    const details = { name, version: document.version, acknowledged: changes, writes: contract.writes };
    const entry = { action: 'document.published', subjectId: document.id, details, at: document.updatedAt } as const;
    await tx.$executeRaw(insertAuditEntry(ctx, entry));
    await recordEffect(tx, ctx.request.claim, { documentId: document.id });
    return document;
  });
}

/** Deletes a document with its versions. Returns its last state. @throws {ServiceError} not_found */
export async function unpublishDocument(ctx: Context, id: string): Promise<Document> {
  return inTransaction(ctx.db, async (tx) => {
    await lockDocuments(ctx, tx);
    const document = await findDocument({ ...ctx, db: tx as Context['db'] }, { id });
    await tx.document.delete({ where: rowKey(ctx.environment, id) });
    const details = { name: document.name, version: document.version };
    await tx.$executeRaw(
      insertAuditEntry(ctx, { action: 'document.unpublished', subjectId: id, details, at: ctx.now() }),
    );
    return document;
  });
}

function requireValid({ problems, contract }: CheckedDocument): DocumentContract {
  if (contract) return contract;
  const issues: InputIssue[] = problems.map(({ message, line, column }) => ({
    path: ['text'],
    message: `{param}, line ${line}, column ${column}: ${message}`,
  }));
  throw new ServiceError('invalid_request', issues[0]?.message ?? '{param} is not valid.', { param: ['text'], issues });
}

function requireVersion(ifVersion: number | null | undefined, document: Document | undefined): void {
  if (ifVersion == null || ifVersion === (document?.version ?? 0)) return;
  throw versionChanged(document ?? null);
}

function versionChanged(document: Document | null): ServiceError {
  const message = 'The document changed after you read it. Read it again.';
  return new ServiceError('precondition_failed', message, {
    ...(document && { current: { type: 'Document', value: document } }),
  });
}

function breakingChange(changes: readonly string[]): ServiceError {
  const message = `The text breaks callers: ${changes[0]}. Publish it under another name, or set {param} to true.`;
  return new ServiceError('breaking_change', message, { param: ['acknowledgeBreaking'], facts: { changes } });
}

/** Locks the environment, so that publications run one after another and cannot exceed the limit. */
async function lockDocuments({ environment }: Context, tx: Transaction): Promise<void> {
  await tx.$queryRaw`SELECT FROM environment WHERE id = ${environment.id}::uuid FOR NO KEY UPDATE`;
}

interface NextVersion extends DocumentInput {
  readonly contract: DocumentContract;
  readonly changes: readonly string[];
}

async function create(ctx: Context, tx: Transaction, next: NextVersion): Promise<Document> {
  if ((await tx.document.count()) >= LIMITS.documents) {
    const message = `The environment already has ${LIMITS.documents} documents. Unpublish one of them.`;
    throw new ServiceError('invalid_request', message);
  }
  const at = ctx.now();
  const { name, contract } = next;
  const document = await tx.document.create({
    data: {
      ...{ id: newTypeId('doc'), environmentId: ctx.environment.id, name, kind: contract.kind },
      ...{ version: 1, createdAt: at, updatedAt: at },
    },
  });
  await addVersion(ctx, tx, document, next);
  return document;
}

async function replace(ctx: Context, tx: Transaction, { id, version }: Document, next: NextVersion): Promise<Document> {
  const { kind } = next.contract;
  const data = { kind, version: version + 1, updatedAt: ctx.now() };
  const document = await tx.document.update({ where: rowKey(ctx.environment, id), data });
  await addVersion(ctx, tx, document, next);
  const oldest = document.version - LIMITS.documentVersions;
  await tx.documentVersion.deleteMany({ where: { documentId: id, number: { lte: oldest } } });
  return document;
}

/** The member is the author of what their app publishes: an app ends, and a version has to stay usable. */
function authorOfVersion(caller: Caller) {
  if (caller.kind === 'session' || caller.kind === 'app') return { authorKind: 'session', authorId: caller.user.id };
  return { authorKind: caller.kind, authorId: caller.id };
}

async function addVersion(
  { caller, environment }: Context,
  tx: Transaction,
  { id: documentId, version: number, updatedAt: createdAt }: Document,
  { text, contract: { trustedId }, changes }: NextVersion,
): Promise<void> {
  await tx.documentVersion.create({
    data: {
      ...{ documentId, number, environmentId: environment.id, text, trustedId, acknowledged: [...changes] },
      ...{ ...authorOfVersion(caller), createdAt },
    },
  });
}
