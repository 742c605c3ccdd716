import type { Mutant } from './mutant.ts';

const USE = 'domain/files/use.ts';
const FILE_REACH = 'domain/files/reach.ts';
const RECEIVE = 'domain/files/receive.ts';
const REMOVE = 'domain/files/remove.ts';
const CHECK = 'domain/files/check.ts';
const ROUTES = 'files/routes.ts';
const UPLOADS_TEST = 'spec/uploads.test.ts';
const PARTS_TEST = 'spec/file-parts.test.ts';
const REMOVAL_TEST = 'spec/file-removal.test.ts';
const LARGE_FILES_TEST = 'spec/s3-large-files.test.ts';
const S3_WRITE = 'storage/s3-write.ts';
const READS_TEST = 'spec/file-reads.test.ts';

/** Guards of uploaded files. */
export const FILES: readonly Mutant[] = [
  {
    name: 'bytes that a text cannot have are replaced in silence',
    file: 'contract/text-encoding.ts',
    find: '{ fatal: true, isCut }',
    replace: '{ fatal: false, isCut }',
    test: 'spec/text-files.test.ts',
  },
  {
    name: 'a text with NUL is accepted if it has a byte order mark',
    file: 'domain/files/file-type.ts',
    find: ' && !isText(announced)) return;',
    replace: ') return;',
    test: 'spec/text-files.test.ts',
  },
  {
    name: 'a signed URL is valid without its signature',
    file: ROUTES,
    find: '|| !isSigned(services, use, id, signature, new Date())',
    replace: '',
    test: UPLOADS_TEST,
  },
  {
    name: 'a signed URL never expires',
    file: 'domain/files/signed-url.ts',
    find: '> now.getTime()',
    replace: '> 0',
    test: READS_TEST,
  },
  {
    name: 'a signature is valid for every use',
    file: 'domain/files/signed-url.ts',
    find: 'return `${use} of ${id}`;',
    replace: 'return `${use.slice(0, 0)} of ${id}`;',
    test: UPLOADS_TEST,
  },
  {
    name: 'an anonymous caller uses files of other callers',
    file: FILE_REACH,
    find: "bounds.deploymentIds.includes(file.deploymentId ?? '') && file.owner === ownerOf(ctx);",
    replace: "bounds.deploymentIds.includes(file.deploymentId ?? '') && ownerOf(ctx) !== '';",
    test: PARTS_TEST,
  },
  {
    name: 'an anonymous caller uses the file of another conversation',
    file: FILE_REACH,
    find: 'return isOwn && fits && file.usedAt === null;',
    replace: 'return isOwn && fits;',
    test: PARTS_TEST,
  },
  {
    name: 'an unfinished upload is used in a message',
    file: USE,
    find: "where: { id: { in: ids }, status: 'ready' },",
    replace: 'where: { id: { in: ids } },',
    test: PARTS_TEST,
  },
  {
    name: 'a file of a protected deployment is read through an open one',
    file: FILE_REACH,
    find: 'conversationId: conversationId ?? NOTHING, conversation }',
    replace: 'conversationId: conversationId ?? NOTHING }',
    test: PARTS_TEST,
  },
  {
    name: 'an anonymous caller reads the uploads of others',
    file: FILE_REACH,
    find: "if (action === 'complete') return isOwn;",
    replace: "if (action === 'read') return file.usedAt === null;\n  if (action === 'complete') return isOwn;",
    test: PARTS_TEST,
  },
  {
    name: 'an upload takes more bytes than announced',
    file: RECEIVE,
    find: 'if (state.received > room) {',
    replace: 'if (state.received < 0) {',
    test: UPLOADS_TEST,
  },
  {
    name: 'a file is readable with bytes of another type',
    file: CHECK,
    find: 'requireType(row.mimeType, Buffer.concat(beginning));',
    replace: 'Buffer.concat(beginning);',
    test: UPLOADS_TEST,
  },
  {
    name: 'a file is readable before the scan has accepted it',
    file: CHECK,
    find: 'await scan;',
    replace: 'void scan;',
    test: READS_TEST,
  },
  {
    name: 'a used file is deleted with another conversation',
    file: REMOVE,
    find: 'AND NOT EXISTS (SELECT 1 FROM file_use\n        WHERE file_use.file_id = file.id AND file_use.environment_id = file.environment_id OFFSET 0)',
    replace: '',
    test: REMOVAL_TEST,
  },
  {
    name: 'bytes are deleted that another file has',
    file: REMOVE,
    find: 'AND NOT EXISTS (SELECT 1 FROM file\n          WHERE file.content_id = file_content.id AND file.environment_id = file_content.environment_id)',
    replace: '',
    test: REMOVAL_TEST,
  },
  {
    name: 'announced uploads do not count against the limit of an environment',
    file: 'domain/files/quota.ts',
    find: 'exceeds(used.stored + used.expected, sizeBytes, space.most * MIB)',
    replace: 'exceeds(used.stored, sizeBytes, space.most * MIB)',
    test: REMOVAL_TEST,
  },
  {
    name: 'files follow symbolic links',
    file: 'storage/directory.ts',
    find: "if (!(await lstat(path)).isDirectory()) throw new Error('a folder of the file storage is not a folder');",
    replace: 'await lstat(path);',
    test: REMOVAL_TEST,
  },
  {
    name: 'a file that browsers can run is shown',
    file: 'files/serve-content.ts',
    find: "? 'inline' : 'attachment'",
    replace: "? 'inline' : 'inline'",
    test: READS_TEST,
  },
  {
    name: 'a large file goes to the bucket in one request',
    file: 'domain/files/file.ts',
    find: ' && sizeBytes <= LIMITS.directUploadBytes',
    replace: '',
    test: LARGE_FILES_TEST,
  },
  {
    name: 'a failed write leaves its parts in the bucket',
    file: S3_WRITE,
    find: 'if (uploadId !== undefined) await s3.delete(uploadUrl(url, uploadId)).catch(() => undefined);',
    replace: '',
    test: LARGE_FILES_TEST,
  },
  {
    name: 'the parts of an expired upload stay in the bucket',
    file: S3_WRITE,
    find: "if (key.startsWith(prefix) && id !== '' && isMeant(key))",
    replace: 'if (key === id)',
    test: LARGE_FILES_TEST,
  },
  {
    name: 'an error of the storage after status 200 is ignored',
    file: 'storage/s3-requests.ts',
    find: "if (text.includes('<Error'))",
    replace: 'if (text === url)',
    test: LARGE_FILES_TEST,
  },
  {
    name: 'a process receives any number of uploads for a bucket',
    file: 'files/upload-requests.ts',
    find: 'this.#files.size >= LIMITS.bucketUploadsAtOnce',
    replace: 'this.#files.size < 0',
    test: LARGE_FILES_TEST,
  },
];
