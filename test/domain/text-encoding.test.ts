import { describe, expect, it } from 'vitest';
import { fileNameIn, printableName, withFileName } from '../../src/contract/file-name.ts';
import { charsetOf, decodeText } from '../../src/contract/text-encoding.ts';

const utf16 = (text: string, isBig = false) => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};

const latin1 = (text: string) => Buffer.from(text, 'latin1');

const XML = '<?xml version="1.0" encoding=\'ISO-8859-1\'?><a>é</a>';
const HTML = '<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1252">é';

describe('the text of a file', () => {
  it.each([
    ['UTF-8', Buffer.from('Grüße 👋'), undefined, 'Grüße 👋'],
    ['UTF-8 with a mark', Buffer.from('\ufeffGrüße'), undefined, 'Grüße'],
    ['UTF-16 in little-endian order', utf16('Grüße 👋'), undefined, 'Grüße 👋'],
    ['UTF-16 in big-endian order', utf16('Grüße 👋', true), undefined, 'Grüße 👋'],
    ['UTF-16 without a mark', utf16('Grüße').subarray(2), 'utf-16le', 'Grüße'],
    ['a mark that contradicts the charset', utf16('Grüße'), 'iso-8859-1', 'Grüße'],
    // Typographic quotes and the sign of the euro differ between windows-1252 and ISO 8859-1.
    ['windows-1252', Buffer.from([0x93, 0x80, 0x94, 0xe9]), 'windows-1252', '“€”é'],
    ['ISO 8859-1, which browsers read as windows-1252', Buffer.from([0x93, 0xe9]), 'ISO-8859-1', '“é'],
    ['windows-1251', Buffer.from([0xcf, 0xf0, 0xe8]), 'windows-1251', 'При'],
    ['KOI8-R', Buffer.from([0xf0, 0xd2, 0xc9]), 'koi8-r', 'При'],
    ['Shift JIS', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'shift_jis', '日本'],
    ['GBK', Buffer.from([0xd6, 0xd0]), 'gbk', '中'],
    ['UTF-8 with an unknown charset', Buffer.from('Grüße'), 'x-unknown', 'Grüße'],
    ['XML that names its charset', latin1(XML), undefined, XML],
    ['HTML that names its charset as a type', latin1(HTML), undefined, HTML],
    ['HTML that names another charset than UTF-8, but is UTF-8', Buffer.from(HTML), undefined, HTML],
    ['UTF-8 with a charset in which it is invalid', Buffer.from('中文'), 'us-ascii', 'ä¸\u00adæ–‡'],
  ])('is read from %s', (_name, bytes, charset, text) => {
    expect(decodeText(bytes, charset)).toEqual({ text, isExact: true });
  });

  it.each([
    ['8 bits without a charset', Buffer.from('Gr\xfc\xdfe', 'latin1'), undefined],
    ['HTML that names its charset too late', latin1(`<html>${' '.repeat(1_024)}<meta charset="latin1">é`), undefined],
    ['a text about HTML of an unknown charset', latin1('<meta charset="x-unknown">é'), undefined],
    ['half a character', Buffer.from('Grü').subarray(0, 3), undefined],
    ['half a unit of UTF-16', utf16('ab').subarray(0, 5), undefined],
  ])('is not exact in %s', (_name, bytes, charset) => {
    const { text, isExact } = decodeText(bytes, charset);
    expect(isExact).toBe(false);
    expect(text).toContain('\ufffd');
  });

  it('can be cut within a character', () => {
    for (const bytes of [Buffer.from('Grü'), utf16('Gr👋')]) {
      const { text, isExact } = decodeText(bytes.subarray(0, -1), undefined, true);
      expect({ text, isExact }).toEqual({ text: 'Gr', isExact: true });
    }
  });

  it('has the charset of its media type', () => {
    expect(charsetOf('text/csv; header=present; Charset="UTF-16LE"')).toBe('UTF-16LE');
    expect(charsetOf('text/csv')).toBeUndefined();
  });
});

describe('the name of a file', () => {
  it.each([
    ['a Persian word', 'می\u200cخواهم.txt'],
    ['an emoji of several', 'the 👨\u200d👩\u200d👧.png'],
    ['a flag', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.png'],
    ['a sign of Arabic', '\u0600١٢.txt'],
    ['Hebrew', 'שלום.txt'],
  ])('can contain %s', (_name, name) => {
    expect(printableName(name)).toBe(name);
    expect(fileNameIn(withFileName('text/plain', name))).toBe(name);
  });

  it.each([
    ['a change of the direction', 'a\u202egpj.exe', 'agpj.exe'],
    ['isolates', 'a\u2066b\u2069.txt', 'ab.txt'],
    ['marks of a direction', '\u200ea\u200f\u061c.txt', 'a.txt'],
    ['hidden text in tags', 'a\u{e0068}\u{e0069}.txt', 'a.txt'],
    ['a flag that hides text', `\u{1f3f4}${'\u{e0061}'.repeat(7)}\u{e007f}.txt`, '\u{1f3f4}.txt'],
    ['invisible characters', 'a\u200b\u2060\ufeff\u00ad.txt', 'a.txt'],
    ['line breaks', 'a\r\n\u2028.txt', 'a.txt'],
  ])('cannot contain %s', (_name, name, printable) => {
    expect(printableName(name)).toBe(printable);
  });
});
