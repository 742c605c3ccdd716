import type { Mutant } from './mutant.ts';

const RECEIVE = 'domain/files/receive.ts';
const QUOTA = 'domain/files/quota.ts';
const CLAIM = 'domain/files/write-claim.ts';
const SHARES_TEST = 'spec/file-shares.test.ts';
const LOST_TEST = 'spec/lost-parts.test.ts';
const FULL_TEST = 'spec/full-storage.test.ts';

/** Guards of the space that uploads take. */
export const FILE_SPACE: readonly Mutant[] = [
  {
    name: 'files of strangers in messages count only against the workspace',
    file: QUOTA,
    find: "share_key IS NOT NULL AND status <> 'rejected'`",
    replace: "share_key IS NOT NULL AND status <> 'rejected' AND used_at IS NULL`",
    test: SHARES_TEST,
  },
  {
    name: 'strangers use up the space of the workspace',
    file: QUOTA,
    find: 'if (exceeds(used.of_all, sizeBytes, parts.all)) throw',
    replace: 'if (parts.all < 0) throw',
    test: SHARES_TEST,
  },
  {
    name: 'an address has no share of the space',
    file: QUOTA,
    find: 'if (exceeds(used.of_one, sizeBytes, parts.one)) throw',
    replace: 'if (parts.one < 0) throw',
    test: SHARES_TEST,
  },
  {
    name: 'unused files of an address have no share',
    file: QUOTA,
    find: 'if (used.unused > 0n && exceeds',
    replace: 'if (used.unused < 0n && exceeds',
    test: SHARES_TEST,
  },
  {
    name: 'an address announces any number of uploads',
    file: QUOTA,
    find: 'if (used.open >= LIMITS.strangerUploads)',
    replace: 'if (used.open < 0)',
    test: SHARES_TEST,
  },
  {
    name: 'an address takes all uploads to a bucket',
    file: 'files/upload-requests.ts',
    find: 'this.#services.stores.storage.signUpload && shareKey ?',
    replace: 'this.#services.stores.storage.signUpload && shareKey === id ?',
    test: SHARES_TEST,
  },
  {
    name: 'an upload is sent any number of times',
    file: CLAIM,
    find: 'WHERE NOT upload.exhausted',
    replace: '',
    test: LOST_TEST,
  },
  {
    name: 'a request that dies is not counted',
    file: CLAIM,
    find: 'UPDATE file SET sent_bytes = sent_bytes + ${bytes} FROM upload, counted',
    replace: 'UPDATE file SET sent_bytes = sent_bytes + ${bytes} * 0 FROM upload, counted',
    test: LOST_TEST,
  },
  {
    name: 'an address sends any number of bytes',
    file: CLAIM,
    find: 'OR used.points + excluded.points <= ${megabytes * KIB}',
    replace: 'OR used.points + excluded.points > ${-megabytes}',
    test: LOST_TEST,
  },
  {
    name: 'bytes that did not arrive stay counted',
    file: CLAIM,
    find: 'sent_bytes = sent_bytes - ${claim.bytes - size}',
    replace: 'sent_bytes = sent_bytes - ${(claim.bytes - size) * 0}',
    test: LOST_TEST,
  },
  {
    name: 'a part is added that the sweeper deletes',
    file: CLAIM,
    find: 'upload.environment_id AND remove_after = ${removeAfter}',
    replace: 'upload.environment_id AND remove_after > ${new Date(removeAfter.getTime() * 0)}',
    test: LOST_TEST,
  },
  {
    name: 'a part that was not added stays',
    file: RECEIVE,
    find: 'await services.stores.storage.removeKeys([claim.key]);',
    replace: '',
    test: LOST_TEST,
  },
  {
    name: 'parts stay that an upload has replaced',
    file: RECEIVE,
    find: 'await removeKeys(services, row, replaced);',
    replace: '',
    test: LOST_TEST,
  },
  {
    name: 'the sweeper leaves the part of a dead process',
    file: 'domain/files/sweeper.ts',
    find: 'storage.remove(prefix) : storage.removeKeys([prefix])',
    replace: 'storage.remove(prefix) : undefined',
    test: LOST_TEST,
  },
  {
    name: 'a failed check leaves a copy of the file',
    file: 'domain/files/check.ts',
    find: 'await removeKeys(services, row, [claim.joined]);',
    replace: '',
    test: LOST_TEST,
  },
  {
    name: 'uploads fill the disk',
    file: 'storage/directory.ts',
    find: 'if (freeBytes < reservedBytes) throw new StorageFullError();',
    replace: 'void freeBytes;',
    test: FULL_TEST,
  },
  {
    name: 'a file is announced that the disk has no space for',
    file: 'domain/files/create-upload.ts',
    find: 'await requireStorage(services, parsed.sizeBytes);',
    replace: '',
    test: FULL_TEST,
  },
  {
    name: 'a full disk is an internal error',
    file: 'storage/directory.ts',
    find: 'throw isFull(error) ?',
    replace: 'throw isFull(undefined ?? {}) ?',
    test: FULL_TEST,
  },
  {
    name: 'a full bucket is an internal error',
    file: 'storage/s3-requests.ts',
    find: 'if (status === INSUFFICIENT_STORAGE || FULL.test(text))',
    replace: 'if (status === 0)',
    test: FULL_TEST,
  },
];
