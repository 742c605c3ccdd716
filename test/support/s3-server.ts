import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PendingUploads, serveMultipart } from './s3-multipart.ts';

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** What SigV4 signs, as Amazon documents it. */
export interface SignedRequest {
  readonly method: string;
  /** The encoded path. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly signedHeaders: readonly string[];
  readonly payload: string;
  readonly date: string;
  readonly region: string;
  readonly secret: string;
}

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** The signature of a request to S3, computed independently of the library that the service uses. */
export function signatureOf({
  method,
  path,
  query,
  headers,
  signedHeaders,
  payload,
  date,
  region,
  secret,
}: SignedRequest) {
  const pairs = [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`);
  const lines = signedHeaders.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/\s+/g, ' ')}\n`).join('');
  const canonical = [method, path, pairs.sort().join('&'), lines, signedHeaders.join(';'), payload].join('\n');
  const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date.slice(0, 8)), region), 's3'), 'aws4_request');
  return hmac(key, text).toString('hex');
}

export interface S3Server {
  readonly url: string;
  readonly bucket: string;
  /** The stored objects by key. */
  readonly objects: Map<string, Buffer>;
  /** Multipart uploads that are neither complete nor aborted. */
  readonly uploads: PendingUploads;
  /** Requests by method and parameters without values, for example `PUT uploadId&partNumber`. */
  readonly requests: string[];
  /** Requests of this form, like those in `requests`, fail with status 500. */
  readonly broken: Set<string>;
  /** Requests of this form fail with this error code: as a full storage does, with status 403 or 507. */
  readonly full: Map<string, string>;
  /** Requests that were refused, and why. */
  readonly refusals: string[];
  close(): Promise<void>;
}

export const S3_KEYS = { accessKeyId: 'AKIATEST', secretAccessKey: 'a secret of the storage', region: 'eu-test-1' };

/**
 * A small S3: PUT, copy, GET with a range, HEAD, DELETE, ListObjectsV2 and multipart uploads of one bucket. It checks the
 * signature of each request, and refuses a body that is longer or of another type than was signed.
 */
export async function startS3Server(bucket = 'parley-test'): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const uploads: PendingUploads = new Map();
  const requests: string[] = [];
  const broken = new Set<string>();
  const full = new Map<string, string>();
  const refusals: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const problem = problemOf(request, body);
    if (problem) {
      refusals.push(`${request.method} ${request.url}: ${problem}`);
      return void response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
    }
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://x');
    const key = pathname.slice(bucket.length + 2);
    const form = [request.method, [...query.keys()].filter((name) => !name.startsWith('X-Amz')).join('&')].join(' ');
    requests.push(form);
    const code = full.get(form);
    if (broken.has(form)) response.writeHead(500).end();
    else if (code !== undefined) response.writeHead(code === '' ? 507 : 403).end(`<Error><Code>${code}</Code></Error>`);
    else if (query.has('uploads') || query.has('uploadId')) {
      serveMultipart(objects, uploads, { method: request.method, key, query }, response, body);
    } else serve(objects, bucket, request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    objects,
    uploads,
    requests,
    broken,
    full,
    refusals,
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function problemOf({ method = '', url = '', headers }: IncomingMessage, body: Buffer): string | undefined {
  const { pathname, searchParams: query } = new URL(url, 'http://x');
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const { region, secretAccessKey: secret, accessKeyId } = S3_KEYS;
  const of = { method, path: pathname, query, headers: own, region, secret };
  if (query.has('X-Amz-Signature')) return problemOfUrl(of, accessKeyId);
  return problemOfHeader(of, accessKeyId, body);
}

type Facts = Omit<SignedRequest, 'signedHeaders' | 'payload' | 'date'>;

function problemOfUrl(of: Facts, accessKeyId: string): string | undefined {
  const { query } = of;
  const date = query.get('X-Amz-Date') ?? '';
  const signedHeaders = (query.get('X-Amz-SignedHeaders') ?? '').split(';');
  const signature = signatureOf({ ...of, signedHeaders, payload: 'UNSIGNED-PAYLOAD', date });
  if (signature !== query.get('X-Amz-Signature')) return 'the signature of the URL';
  if (!query.get('X-Amz-Credential')?.startsWith(`${accessKeyId}/`)) return 'the key';
  const ends = Date.parse(date.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z'));
  return ends + Number(query.get('X-Amz-Expires')) * 1_000 > Date.now() ? undefined : 'it has expired';
}

function problemOfHeader(of: Facts, accessKeyId: string, body: Buffer): string | undefined {
  const own = of.headers;
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/\d+\/[\w-]+\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w+)$/;
  const [, key, names = '', signature] = pattern.exec(own.authorization ?? '') ?? [];
  const payload = own['x-amz-content-sha256'] ?? '';
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body)) return 'the hash of the body';
  const expected = signatureOf({ ...of, signedHeaders: names.split(';'), payload, date: own['x-amz-date'] ?? '' });
  return key === accessKeyId && signature === expected ? undefined : 'the signature of the header';
}

function serve(
  objects: Map<string, Buffer>,
  bucket: string,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): void {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
  const key = pathname.slice(bucket.length + 2);
  switch (request.method) {
    case 'PUT':
      put(objects, key, request.headers['x-amz-copy-source']?.slice(bucket.length + 2), response, body);
      break;
    case 'DELETE':
      objects.delete(key);
      response.writeHead(204).end();
      break;
    default:
      if (key === '') list(objects, searchParams, response);
      else read(objects.get(key), request, response);
  }
}

/** A page of the sorted list is short, so that tests read several. */
const PAGE = 100;

function list(objects: Map<string, Buffer>, parameters: URLSearchParams, response: ServerResponse): void {
  const after = Buffer.from(parameters.get('continuation-token') ?? '', 'base64').toString();
  const all = [...objects.keys()].filter((key) => key.startsWith(parameters.get('prefix') ?? '') && key > after).sort();
  const keys = all.slice(0, PAGE);
  const isTruncated = all.length > PAGE;
  const next = isTruncated && Buffer.from(keys.at(-1) ?? '').toString('base64');
  response.end(
    [
      '<ListBucketResult>',
      ...keys.map((key) => `<Contents><Key>${key}</Key></Contents>`),
      `<IsTruncated>${isTruncated}</IsTruncated>`,
      ...(next ? [`<NextContinuationToken>${next}</NextContinuationToken>`] : []),
      '</ListBucketResult>',
    ].join(''),
  );
}

function put(
  objects: Map<string, Buffer>,
  key: string,
  source: string | string[] | undefined,
  response: ServerResponse,
  body: Buffer,
): void {
  const bytes = source === undefined ? body : objects.get(String(source));
  if (bytes) objects.set(key, bytes);
  response.writeHead(bytes ? 200 : 404).end();
}

function read(stored: Buffer | undefined, { method, headers }: IncomingMessage, response: ServerResponse): void {
  if (!stored) return void response.writeHead(404).end();
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  const part = start === undefined ? stored : stored.subarray(Number(start), Number(end) + 1);
  response.writeHead(start === undefined ? 200 : 206, { 'Content-Length': part.length });
  response.end(method === 'HEAD' ? undefined : part);
}
