import { LIMITS } from './limits.ts';

/** What the name of a file may not contain: line breaks, invisible characters and the halves of surrogate pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const NAME = /; *name="([^"]*)"/i;

/**
 * Adds the name of a file to its media type, as the parameter `name`: `text/plain; name="letter.txt"`. A part of a message
 * has no other field for it. The name is percent-encoded, because a parameter is ASCII. A name that does not fit is cut
 * before its extension.
 */
export function withFileName(mimeType: string, name: string): string {
  const room = LIMITS.mimeTypeLength - mimeType.length - '; name=""'.length;
  const characters = [...name.replace(UNPRINTABLE, '').trim()];
  const dot = characters.lastIndexOf('.');
  const extension = dot > 0 && characters.length - dot <= 10 ? characters.splice(dot) : [];
  while (characters.length > 0 && encoded([...characters, ...extension]).length > room) characters.pop();
  return characters.length > 0 ? `${mimeType}; name="${encoded([...characters, ...extension])}"` : mimeType;
}

/** The name that `withFileName` has added, or undefined. */
export function fileNameIn(mimeType: string): string | undefined {
  const [, name = ''] = NAME.exec(mimeType) ?? [];
  return decoded(name).replace(UNPRINTABLE, '').trim() || undefined;
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
