const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The numbers of one segment of a source map, from base64 VLQ. */
function decode(segment) {
  const numbers = [];
  let [number, shift] = [0, 0];
  for (const character of segment) {
    const digit = DIGITS.indexOf(character);
    number += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(number & 1 ? -(number >> 1) : number >> 1);
    [number, shift] = [0, 0];
  }
  return numbers;
}

function encode(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    text += DIGITS[(rest & 31) | (rest > 31 ? 32 : 0)];
    rest >>= 5;
  } while (rest > 0);
  return text;
}

/** The first segment of each line as [column, source, line, column of the source], all absolute. */
function firstSegments(mappings) {
  let [source, line, column] = [0, 0, 0];
  return mappings.split(';').map((text) => {
    let [first, generated] = [undefined, 0];
    for (const segment of text ? text.split(',') : []) {
      const [step, ...steps] = decode(segment);
      generated += step;
      if (steps.length === 0) continue;
      source += steps[0];
      line += steps[1];
      column += steps[2];
      first ??= [generated, source, line, column];
    }
    return first;
  });
}

/**
 * Maps each line of own code to its source, and no line of a package. With `--enable-source-maps` Node decodes the map at
 * each start: this one is 20 times as short.
 */
export function linesOfOwnCode({ mappings, sources, ...map }) {
  const isOwn = sources.map((path) => path.startsWith('../src/'));
  let last = [0, 0, 0];
  let wasOwn = false;
  const lines = firstSegments(mappings).map((first) => {
    const isMapped = first !== undefined && isOwn[first[1]];
    // A segment without a source ends own code. Otherwise it would continue in the lines of the package.
    const end = wasOwn && first && !isMapped ? encode(0) : '';
    if (first) wasOwn = isMapped;
    if (!isMapped) return end;
    const [generated, ...place] = first;
    const text = [generated, ...place.map((number, index) => number - last[index])].map(encode).join('');
    last = place;
    return text;
  });
  return { ...map, names: [], sources, mappings: lines.join(';') };
}
