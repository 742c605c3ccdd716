import { createHash } from 'node:crypto';
import type { ContentFault } from '../../db/generated/client.ts';
import type { SomeServices } from '../context.ts';
import { findFault, type KnownContent, recordFault } from './content-faults.ts';
import { MissingBytesError } from './storage-port.ts';

type VerifyServices = SomeServices<'prisma' | 'sql' | 'storage' | 'log'>;

export interface VerifyOptions {
  /** Record faults, and delete bytes that no file needs. */
  readonly repair: boolean;
  /** Read all bytes, and compare their hash. */
  readonly hash: boolean;
}

/** `orphan`: bytes that no file needs. `unknown`: bytes of an environment that the database does not have. */
export const FINDINGS = ['missing', 'wrong_size', 'wrong_hash', 'orphan', 'unknown'] as const;

export interface Finding {
  readonly kind: (typeof FINDINGS)[number];
  readonly storageKey: string;
  /** The files that have the bytes, oldest first, up to a limit. */
  readonly fileIds: readonly string[];
}

export interface FileReport {
  /** Contents in the database, and keys in the storage. */
  readonly contents: number;
  readonly keys: number;
  readonly found: Readonly<Record<Finding['kind'], number>>;
  /** The first findings. */
  readonly findings: readonly Finding[];
  /** Faults that were recorded, contents that are readable again, and keys that were deleted. */
  readonly marked: number;
  readonly restored: number;
  readonly deleted: number;
}

const PAGE = 200;
const AT_ONCE = 8;
const MOST_FINDINGS = 1_000;
const MOST_FILES = 10;
const ENVIRONMENT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Compares the database with the stored bytes, in pages. It runs while the service runs. Bytes of an environment that the
 * database does not have are never deleted: they belong to another database, or this one is older than the files.
 */
export async function verifyFiles(services: VerifyServices, options: VerifyOptions): Promise<FileReport> {
  const verification = new Verification(services, options);
  await verification.checkContents();
  await verification.checkKeys();
  return verification.report();
}

type ContentRow = KnownContent & { readonly id: string };

class Verification {
  readonly #services: VerifyServices;
  readonly #options: VerifyOptions;
  readonly #findings: Finding[] = [];
  readonly #found = { missing: 0, wrong_size: 0, wrong_hash: 0, orphan: 0, unknown: 0 };
  readonly #counts = { contents: 0, keys: 0, marked: 0, restored: 0, deleted: 0 };

  constructor(services: VerifyServices, options: VerifyOptions) {
    this.#services = services;
    this.#options = options;
  }

  report(): FileReport {
    return { ...this.#counts, found: this.#found, findings: this.#findings };
  }

  /** Whether the storage has what the database knows. */
  async checkContents(): Promise<void> {
    const { prisma } = this.#services.stores;
    for (let after: string | undefined; ; ) {
      const page: ContentRow[] = await prisma.fileContent.findMany({
        where: after === undefined ? {} : { id: { gt: after } },
        orderBy: { id: 'asc' },
        take: PAGE,
      });
      for (let at = 0; at < page.length; at += AT_ONCE) {
        await Promise.all(page.slice(at, at + AT_ONCE).map((content) => this.#checkContent(content)));
      }
      this.#counts.contents += page.length;
      after = page.at(-1)?.id;
      if (after === undefined) return;
    }
  }

  async #checkContent(content: ContentRow): Promise<void> {
    const fault = await this.#faultOf(content);
    if (fault && !(await this.#isCurrent(content))) return;
    if (fault) this.#add(fault, content.storageKey, await this.#filesOf(content.id));
    if (fault === content.fault || !this.#options.repair) return;
    if (await recordFault(this.#services, content, fault)) this.#counts[fault ? 'marked' : 'restored'] += 1;
  }

  async #faultOf(content: ContentRow): Promise<ContentFault | null> {
    const { storage } = this.#services.stores;
    const fault = await findFault(storage, content);
    if (!this.#options.hash || (fault && fault !== 'wrong_hash')) return fault;
    try {
      const hash = createHash('sha256');
      for await (const chunk of (await storage.read(content.storageKey)) as AsyncIterable<Buffer>) hash.update(chunk);
      return hash.digest('hex') === content.sha256 ? null : 'wrong_hash';
    } catch (error) {
      if (error instanceof MissingBytesError) return 'missing';
      throw error;
    }
  }

  /** The last file of the content may have been deleted meanwhile, or other bytes have replaced these. */
  async #isCurrent({ id, storageKey }: ContentRow): Promise<boolean> {
    return (await this.#services.stores.prisma.fileContent.count({ where: { id, storageKey } })) > 0;
  }

  async #filesOf(contentId: string): Promise<string[]> {
    const where = { contentId };
    const { prisma } = this.#services.stores;
    const files = await prisma.storedFile.findMany({
      where,
      select: { id: true },
      orderBy: { id: 'asc' },
      take: MOST_FILES,
    });
    return files.map(({ id }) => id);
  }

  /** Whether the database knows what the storage has. */
  async checkKeys(): Promise<void> {
    let page: string[] = [];
    for await (const key of this.#services.stores.storage.list()) {
      if (!ENVIRONMENT.test(key.split('/')[0] ?? '')) continue;
      page.push(key);
      if (page.length < PAGE) continue;
      await this.#checkPage(page);
      page = [];
    }
    await this.#checkPage(page);
  }

  async #checkPage(keys: readonly string[]): Promise<void> {
    this.#counts.keys += keys.length;
    for (const { key, is_known: isKnown } of await this.#unneeded(keys)) {
      // It was deleted between the list and the query.
      if ((await this.#services.stores.storage.sizeOf(key)) === undefined) continue;
      this.#add(isKnown ? 'orphan' : 'unknown', key);
      if (!isKnown || !this.#options.repair) continue;
      await this.#services.stores.storage.removeKeys([key]);
      this.#counts.deleted += 1;
    }
  }

  /**
   * The keys that are no content, no part of an upload, and not due for removal. A key gets a row before its first byte, and
   * always has one until its bytes are deleted, so a key without a row is never needed again.
   */
  #unneeded(keys: readonly string[]): Promise<{ key: string; is_known: boolean }[]> {
    return this.#services.stores.sql.rows`
      SELECT key, EXISTS (SELECT FROM environment WHERE environment.id = names[1]::uuid) AS is_known
      FROM unnest(${[...keys]}::text[]) AS key, string_to_array(key, '/') AS names
      WHERE NOT EXISTS (SELECT FROM file_content
                        WHERE file_content.environment_id = names[1]::uuid AND file_content.storage_key = key)
        AND NOT EXISTS (SELECT FROM file
                        WHERE file.id = names[2] AND file.environment_id = names[1]::uuid AND names[3] = ANY (file.parts))
        AND NOT EXISTS (SELECT FROM file_removal
                        WHERE prefix IN (key, names[1] || '/' || names[2]) AND file_removal.environment_id = names[1]::uuid)`;
  }

  #add(kind: Finding['kind'], storageKey: string, fileIds: readonly string[] = []): void {
    this.#found[kind] += 1;
    if (this.#findings.length < MOST_FINDINGS) this.#findings.push({ kind, storageKey, fileIds });
  }
}
