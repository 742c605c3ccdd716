import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** The least bytes of a part of S3, except the last one. */
const LEAST_BYTES = 5 * 1024 * 1024;

/** A multipart upload that is not complete. */
export interface PendingUpload {
  readonly key: string;
  readonly parts: Map<number, Buffer>;
}

/** The unfinished multipart uploads of a bucket, by upload ID. */
export type PendingUploads = Map<string, PendingUpload>;

interface MultipartRequest {
  readonly method: string | undefined;
  readonly key: string;
  readonly query: URLSearchParams;
}

const md5 = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;

/** CreateMultipartUpload, UploadPart, CompleteMultipartUpload, AbortMultipartUpload and ListMultipartUploads. */
export function serveMultipart(
  objects: Map<string, Buffer>,
  uploads: PendingUploads,
  request: MultipartRequest,
  response: ServerResponse,
  body: Buffer,
): void {
  const { method, key, query } = request;
  if (method === 'GET') list(uploads, query.get('prefix') ?? '', response);
  else if (query.has('uploads')) create(uploads, key, response);
  else change(objects, uploads, request, response, body);
}

function change(
  objects: Map<string, Buffer>,
  uploads: PendingUploads,
  { method, key, query }: MultipartRequest,
  response: ServerResponse,
  body: Buffer,
): void {
  const id = query.get('uploadId') ?? '';
  const upload = uploads.get(id);
  if (upload?.key !== key) {
    response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>');
  } else if (method === 'DELETE') {
    uploads.delete(id);
    response.writeHead(204).end();
  } else if (method === 'PUT') {
    upload.parts.set(Number(query.get('partNumber')), body);
    response.writeHead(200, { ETag: md5(body) }).end();
  } else {
    const error = problemOf(upload, body.toString());
    if (!error) {
      objects.set(key, Buffer.concat(inOrder(upload)));
      uploads.delete(id);
    }
    // As S3 does, it reports a failure after status 200.
    response.end(error ? `<Error><Code>${error}</Code></Error>` : '<CompleteMultipartUploadResult/>');
  }
}

function create(uploads: PendingUploads, key: string, response: ServerResponse): void {
  // The characters that the IDs of storages contain.
  const id = `up~load/${uploads.size + 1}+${Math.random().toString(36).slice(2)}=`;
  uploads.set(id, { key, parts: new Map() });
  response.end(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
}

function list(uploads: PendingUploads, prefix: string, response: ServerResponse): void {
  const found = [...uploads].filter(([, { key }]) => key.startsWith(prefix));
  const rows = found.map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`);
  response.end(`<ListMultipartUploadsResult>${rows.join('')}</ListMultipartUploadsResult>`);
}

const inOrder = ({ parts }: PendingUpload) => [...parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);

/** The parts that the request names must be those that were stored. Only the last one can be small. */
function problemOf(upload: PendingUpload, xml: string): string | undefined {
  const pattern = /<Part><PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag><\/Part>/g;
  const named = [...xml.matchAll(pattern)].map(([, number, etag]) => `${number} ${etag}`);
  const stored = inOrder(upload).map((bytes, i) => `${i + 1} ${md5(bytes)}`);
  if (named.length === 0 || named.join() !== stored.join()) return 'InvalidPart';
  const tooSmall = inOrder(upload)
    .slice(0, -1)
    .some(({ byteLength }) => byteLength < LEAST_BYTES);
  return tooSmall ? 'EntityTooSmall' : undefined;
}
