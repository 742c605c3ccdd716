/** The members of a Markdown tree's node that are used here. */
interface Node {
  readonly type: string;
  readonly url?: string;
  readonly value?: string;
  readonly children?: Node[];
  readonly position?: { readonly start: Point; readonly end: Point } | undefined;
}

interface Point {
  readonly offset?: number | undefined;
}

/** The processor that remark passes to its plugins. */
interface Processor {
  parse(text: string): Node;
}

/** Punctuation of Chinese and Japanese, which has no space before it. Addresses contain it only in an encoded form. */
const PUNCTUATION =
  /[\u2014\u2018\u2019\u201c\u201d\u2026\u3000-\u3004\u3008-\u3020\u3030\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/;

/** Ends an address that a text contains as such before full-width punctuation: `看 https://example.com/b，然后继续`. */
export function remarkWrittenAddresses(this: Processor): (tree: Node) => void {
  const inlineOf = (text: string) => this.parse(text).children?.[0]?.children ?? [];
  const visit = ({ children = [] }: Node): void => {
    for (let index = 0; index < children.length; index += 1) {
      const node = children[index] as Node;
      const cut = cutOf(node);
      if (cut) children.splice(index, 1, cut.link, ...inlineOf(cut.rest));
      else visit(node);
    }
  };
  return visit;
}

function cutOf(node: Node): { readonly link: Node; readonly rest: string } | undefined {
  const { type, url = '', children = [], position } = node;
  const text = children[0]?.value ?? '';
  const at = text.search(PUNCTUATION);
  const length = (position?.end.offset ?? 0) - (position?.start.offset ?? 0);
  // Other links have brackets around their text.
  if (type !== 'link' || at <= 0 || children.length !== 1 || length !== text.length) return undefined;
  const removed = text.length - at;
  const link = {
    type,
    url: url.slice(0, url.length - removed),
    children: [{ type: 'text', value: text.slice(0, at) }],
  };
  return url.endsWith(text.slice(at)) ? { link, rest: text.slice(at) } : undefined;
}
