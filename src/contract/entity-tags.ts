/** One tag of a list, up to the next comma or the end. A list can contain empty elements. */
const TAG = /[\t ,]*((?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*")[\t ]*(?=,|$)/y;

/** The coding in the tag of a compressed body, see {@link tagOfCoding}. */
const CODING = /;\w+"$/;

/** The tag of a compressed body: `"a"` → `"a;br"`. Bodies with different bytes must have different tags (RFC 9110). */
export function tagOfCoding(tag: string, coding: string): string {
  return tag.replace(/"$/, `;${coding}"`);
}

/**
 * Parses If-Match or If-None-Match (RFC 9110): `*`, or quoted entity tags. The tag of a compressed body counts as the tag
 * of its content, because both name the same version. Undefined if the header is malformed.
 */
export function parseEntityTags(text: string): '*' | readonly string[] | undefined {
  if (text.trim() === '*') return '*';
  const tags: string[] = [];
  let end = 0;
  TAG.lastIndex = 0;
  for (let match = TAG.exec(text); match; match = TAG.exec(text)) {
    tags.push((match[1] ?? '').replace(CODING, '"'));
    end = TAG.lastIndex;
  }
  return tags.length > 0 && /^[\t ,]*$/.test(text.slice(end)) ? tags : undefined;
}
