/** A tag of a list, and the comma or end behind it; a list may have empty elements. */
const TAG = /[\t ,]*((?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*")[\t ]*(?=,|$)/y;

/** What If-Match and If-None-Match hold (RFC 9110): `*`, or entity tags in their quotes; undefined where it is neither. */
export function parseEntityTags(text: string): '*' | readonly string[] | undefined {
  if (text.trim() === '*') return '*';
  const tags: string[] = [];
  let end = 0;
  TAG.lastIndex = 0;
  for (let found = TAG.exec(text); found; found = TAG.exec(text)) {
    tags.push(found[1] ?? '');
    end = TAG.lastIndex;
  }
  return tags.length > 0 && /^[\t ,]*$/.test(text.slice(end)) ? tags : undefined;
}
