import { createHash } from 'node:crypto';
import type { S3Requests } from './s3-requests.ts';

/** S3 takes parts of at least 5 MiB, except the last one, and at most 10,000 of them: 128 are enough for 1 GiB. */
const PART_BYTES = 8 * 1024 * 1024;

const UPLOAD_ID = /<UploadId>([^<&]{1,2048})<\/UploadId>/;

/** In quotation marks. It becomes XML. */
const ETAG = /^"?[\w-]{1,128}"?$/;

/**
 * Writes a stream as one object and returns its size. The storage must know the length of a request before its first byte,
 * so the stream is collected in one buffer that each part reuses. A stream of more than one part is a multipart upload.
 */
export async function writeObject(s3: S3Requests, key: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const buffer = Buffer.allocUnsafe(PART_BYTES);
  const url = s3.urlOf(key);
  const etags: string[] = [];
  let uploadId: string | undefined;
  let filled = 0;
  const sendPart = async () => {
    uploadId ??= await startMultipart(s3, url);
    etags.push(await putPart(s3, url, uploadId, etags.length + 1, buffer.subarray(0, filled)));
    filled = 0;
  };
  try {
    let size = 0;
    for await (const chunk of bytes) {
      for (let at = 0; at < chunk.byteLength; ) {
        // Only a part with a successor may be sent here: an object that ends with it needs no multipart upload.
        if (filled === PART_BYTES) await sendPart();
        const taken = chunk.subarray(at, at + PART_BYTES - filled);
        buffer.set(taken, filled);
        filled += taken.byteLength;
        at += taken.byteLength;
      }
      size += chunk.byteLength;
    }
    if (uploadId === undefined) {
      await s3.change(url, bodyOf(buffer.subarray(0, filled)));
      return size;
    }
    await sendPart();
    await completeMultipart(s3, url, uploadId, etags);
    return size;
  } catch (error) {
    // If this fails too, `abortUploads` removes the parts with the file.
    if (uploadId !== undefined) await s3.delete(uploadUrl(url, uploadId)).catch(() => undefined);
    throw error;
  }
}

/** Deletes the parts of multipart uploads that a process left unfinished, of all keys or of those that `isMeant` accepts. */
export async function abortUploads(
  s3: S3Requests,
  prefix: string,
  isMeant: (key: string) => boolean = () => true,
): Promise<void> {
  const { text } = await s3.change(`${s3.base}?uploads=&prefix=${encodeURIComponent(prefix)}`, {});
  for (const [, upload = ''] of text.matchAll(/<Upload>(.*?)<\/Upload>/gs)) {
    const [, key = ''] = /<Key>([0-9a-z/_-]+)<\/Key>/.exec(upload) ?? [];
    const [, id = ''] = UPLOAD_ID.exec(upload) ?? [];
    if (key.startsWith(prefix) && id !== '' && isMeant(key)) await s3.delete(uploadUrl(s3.urlOf(key), id));
  }
}

function uploadUrl(url: string, uploadId: string): string {
  return `${url}?uploadId=${encodeURIComponent(uploadId)}`;
}

async function startMultipart(s3: S3Requests, url: string): Promise<string> {
  const { text } = await s3.change(`${url}?uploads=`, { method: 'POST' });
  const [, id] = UPLOAD_ID.exec(text) ?? [];
  if (id === undefined) throw new Error('the file storage returned no ID of a multipart upload');
  return id;
}

async function putPart(s3: S3Requests, url: string, uploadId: string, number: number, part: Buffer): Promise<string> {
  const { headers } = await s3.change(`${uploadUrl(url, uploadId)}&partNumber=${number}`, bodyOf(part));
  const etag = headers.get('etag') ?? '';
  if (!ETAG.test(etag)) throw new Error('the file storage returned no ETag of a part');
  return etag;
}

async function completeMultipart(
  s3: S3Requests,
  url: string,
  uploadId: string,
  etags: readonly string[],
): Promise<void> {
  const parts = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  await s3.change(uploadUrl(url, uploadId), { method: 'POST', body });
}

/** The signed hash lets the storage refuse bytes that changed on their way. */
function bodyOf(body: Buffer): RequestInit {
  const hash = createHash('sha256').update(body).digest('hex');
  return {
    method: 'PUT',
    body: new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength),
    headers: { 'x-amz-content-sha256': hash },
  };
}
