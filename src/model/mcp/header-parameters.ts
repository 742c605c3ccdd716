/** The keyword of a parameter that a call repeats in a header. */
const KEYWORD = 'x-mcp-header';

/** RFC 9110. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/** Keywords whose values are data. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

interface Place {
  readonly value: object;
  /** Each value on the path to it is a property of an object. */
  readonly isParameter: boolean;
}

/**
 * Whether the headers that a schema demands break the rules of the protocol. A client must not call such a tool: the server
 * would read other arguments from the headers than from the body.
 */
export function hasInvalidHeaders(schema: object): boolean {
  const names = new Set<string>();
  const open: Place[] = childrenOf({ value: schema, isParameter: true });
  if (KEYWORD in schema) return true;
  for (let place = open.pop(); place; place = open.pop()) {
    if (KEYWORD in place.value) {
      const { [KEYWORD]: name, type } = place.value as Readonly<Record<string, unknown>>;
      if (!place.isParameter || typeof name !== 'string' || !TOKEN.test(name) || !TYPES.includes(type)) return true;
      if (names.has(name.toLowerCase())) return true;
      names.add(name.toLowerCase());
    }
    open.push(...childrenOf(place));
  }
  return false;
}

function childrenOf({ value, isParameter }: Place): Place[] {
  return Object.entries(value).flatMap(([keyword, inner]: [string, unknown]): Place[] => {
    if (DATA.has(keyword) || typeof inner !== 'object' || inner === null) return [];
    if (keyword !== 'properties' || Array.isArray(value)) return [{ value: inner, isParameter: false }];
    const properties = Object.values(inner).filter((one) => typeof one === 'object' && one !== null);
    return properties.map((one) => ({ value: one as object, isParameter }));
  });
}
