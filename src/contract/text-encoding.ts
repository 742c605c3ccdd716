/** The text of a file. */
export interface DecodedText {
  readonly text: string;
  /** Whether every byte was valid. Otherwise U+FFFD stands for the others. */
  readonly isExact: boolean;
}

/** Byte order marks and their encodings. A mark takes precedence over a declared character set. */
const MARKS: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** The character set that a media type declares. */
export function charsetOf(mediaType: string): string | undefined {
  return /;\s*charset="?([^\s;"]+)/i.exec(mediaType)?.[1];
}

/** What XML and HTML say about themselves, in their first bytes. Decoded as UTF-8, the marks of all other encodings stay. */
const OWN_CHARSET = /^\s*<\?xml\s[^>]*\bencoding\s*=\s*["']([\w.:-]+)|<meta\s[^>]*\bcharset\s*=\s*["']?\s*([\w.:-]+)/i;

/** HTML must name its character set within these bytes. */
const OWN_CHARSET_BYTES = 1_024;

/**
 * Decodes a text by its byte order mark, by its declared character set (a name of the WHATWG Encoding Standard), as UTF-8,
 * or by the character set that an XML or HTML document names itself. `isCut`: the bytes can end within a character.
 */
export function decodeText(bytes: Uint8Array, charset?: string, isCut = false): DecodedText {
  const [marked] = MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte)) ?? [];
  const encodings = marked ? [marked] : [...(charset ? [charset] : []), 'utf-8', ...ownCharsetOf(bytes)];
  for (const encoding of encodings) {
    const text = decodeAs(encoding, bytes, { fatal: true, isCut });
    if (text !== undefined) return { text, isExact: true };
  }
  const text = encodings.map((encoding) => decodeAs(encoding, bytes, { fatal: false, isCut })).find(isDefined);
  return { text: text ?? '', isExact: false };
}

function ownCharsetOf(bytes: Uint8Array): string[] {
  const [, xml, html] = OWN_CHARSET.exec(new TextDecoder().decode(bytes.subarray(0, OWN_CHARSET_BYTES))) ?? [];
  const own = xml ?? html;
  return own === undefined ? [] : [own];
}

const isDefined = (text: string | undefined) => text !== undefined;

/** Undefined if the encoding is unknown, or if the bytes are invalid in it and `fatal` is set. */
function decodeAs(
  encoding: string,
  bytes: Uint8Array,
  { fatal, isCut }: { readonly fatal: boolean; readonly isCut: boolean },
): string | undefined {
  try {
    const decoder = new TextDecoder(encoding, { fatal });
    // In one piece, Node.js 20 decodes windows-1252 as ISO 8859-1.
    const text = decoder.decode(bytes, { stream: true });
    return isCut ? text : text + decoder.decode();
  } catch {
    return undefined;
  }
}

/** The beginning of a text that takes at most this many bytes as UTF-8, in whole characters. */
export function firstBytes(text: string, bytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
}

/** The first so many UTF-16 code units of a text, without half a character at the end. */
export function firstCharacters(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}
