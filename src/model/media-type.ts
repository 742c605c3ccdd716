import { TRANSPORT_STREAM, TYPESCRIPT_TYPE } from '../contract/file-name.ts';

/** Alternative names of types that providers know by one name. */
const ONE_SPELLING: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'application/x-pdf': 'application/pdf',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/mpeg3': 'audio/mpeg',
  // No model takes transport streams.
  [TRANSPORT_STREAM]: TYPESCRIPT_TYPE,
};

const TEXT = /^text\/|^application\/(json|xml|yaml|x-yaml|toml|javascript|sql|x-ndjson)$|\+(json|xml|yaml)$/;

/** The first bytes of files, as Latin-1. */
const BEGINNINGS: readonly (readonly [mediaType: string, pattern: RegExp])[] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['audio/wav', /^RIFF.{4}WAVE/s],
  ['audio/mpeg', /^ID3/],
  ['application/pdf', /^%PDF-/],
];

/** Normalizes a media type: lower case, without parameters, by the name that providers know. */
export function plainMediaType(text: string): string {
  const [essence = ''] = text.toLowerCase().split(';');
  return ONE_SPELLING[essence.trim()] ?? essence.trim();
}

/** Whether the file is text, which every model accepts. */
export function isText(mediaType: string): boolean {
  return TEXT.test(mediaType);
}

/** Whether the media type leaves the actual type open. */
export function isVague(mediaType: string): boolean {
  return mediaType.endsWith('/*') || mediaType === 'application/octet-stream';
}

/** Detects the media type from the first bytes, if possible. */
export function mediaTypeByContent(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return BEGINNINGS.find(([, pattern]) => pattern.test(beginning))?.[0];
}
