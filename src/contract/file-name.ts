import { LIMITS } from './limits.ts';

/**
 * What the name of a file may not contain: line breaks, invisible characters, the halves of surrogate pairs, and controls
 * of the writing direction, which can show another extension. Two joiners belong to the spelling of words and emoji, and
 * some format characters are visible signs. Tags are only part of a flag: elsewhere they hide text.
 */
const UNPRINTABLE =
  /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f})|(?!\u200c|\u200d|[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Removes what the name of a file may not contain. */
export function printableName(name: string): string {
  return name.replace(UNPRINTABLE, '$1');
}

/** TypeScript, which browsers and servers take for an MPEG transport stream by its extension. */
const TYPESCRIPT = /\.[cm]?tsx?$/i;

/** The media type of a file, with the type of TypeScript if the extension stands for it. */
export function typeByName(mimeType: string, name: string): string {
  const isStream = withoutParameters(mimeType).toLowerCase() === TRANSPORT_STREAM;
  return isStream && TYPESCRIPT.test(name) ? TYPESCRIPT_TYPE : mimeType;
}

export const TRANSPORT_STREAM = 'video/mp2t';
export const TYPESCRIPT_TYPE = 'text/x-typescript';

const NAME = /; *name="([^"]*)"/i;

/**
 * Adds the name of a file to its media type, as the parameter `name`: `text/plain; name="letter.txt"`. A part of a message
 * has no other field for it. The name is percent-encoded, because a parameter is ASCII. A name that does not fit is cut
 * before its extension.
 */
export function withFileName(mimeType: string, name: string): string {
  const room = LIMITS.mimeTypeLength - mimeType.length - '; name=""'.length;
  const characters = [...printableName(name).trim()];
  const dot = characters.lastIndexOf('.');
  const extension = dot > 0 && characters.length - dot <= 10 ? characters.splice(dot) : [];
  while (characters.length > 0 && encoded([...characters, ...extension]).length > room) characters.pop();
  return characters.length > 0 ? `${mimeType}; name="${encoded([...characters, ...extension])}"` : mimeType;
}

/** The name that `withFileName` has added, or undefined. */
export function fileNameIn(mimeType: string): string | undefined {
  const [, name = ''] = NAME.exec(mimeType) ?? [];
  return printableName(decoded(name)).trim() || undefined;
}

/** A media type without the name that `withFileName` has added. */
export function withoutFileName(mimeType: string): string {
  return mimeType.replace(NAME, '');
}

/** A media type without its parameters. */
export function withoutParameters(mimeType: string): string {
  return mimeType.split(';')[0]?.trim() ?? '';
}

/** Percent-encodes what a quoted parameter cannot contain. Spaces stay readable. */
const encoded = (characters: readonly string[]) => encodeURIComponent(characters.join('')).replaceAll('%20', ' ');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
