import { textPart } from './turn-operations.ts';

type RejectedContent = readonly [what: string, content: unknown, param: string, message: RegExp];

const file = (fields: object = {}) => ({
  type: 'url',
  mime_type: 'image/png',
  file_uri: 'https://example.com/a.png',
  ...fields,
});
export const inline = (fields: object = {}) => ({ type: 'data', mime_type: 'image/png', data: 'AAAA', ...fields });
const parts = (count: number) => Array.from({ length: count }, (_, index) => textPart(`part ${index}`));
const uriOf = (length: number) => `https://example.com/${'a'.repeat(length - 'https://example.com/'.length)}`;

/** Base64 of this many bytes. */
export const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');

/** Content at each limit. */
export const ACCEPTED_CONTENT: readonly [what: string, content: readonly object[]][] = [
  ['1 part', parts(1)],
  ['64 parts', parts(64)],
  ['a text of 1 character', [textPart('a')]],
  ['a text of 200,000 characters', [textPart('a'.repeat(200_000))]],
  ['a text of 100,000 characters outside the basic plane', [textPart('𝄞'.repeat(100_000))]],
  ['text with line breaks, emoji and right-to-left script', [textPart('a\r\n\tb 👩‍👩‍👧 שלום \u{10FFFF}')]],
  ...(['url', 'image', 'video', 'audio'] as const).map((type): [string, object[]] => [
    `a part of type ${type}`,
    [file({ type })],
  ]),
  ['an http file_uri', [file({ file_uri: 'http://example.com/a?b=c#d' })]],
  ['a file_uri in upper case', [file({ file_uri: 'HTTPS://EXAMPLE.COM/A' })]],
  ['a file_uri of 8,192 characters', [file({ file_uri: uriOf(8_192) })]],
  ['a mime_type of 255 characters', [file({ mime_type: `image/${'a'.repeat(249)}` })]],
  ['a mime_type with a suffix', [file({ mime_type: 'image/svg+xml' })]],
  ['a mime_type with parameters', [file({ mime_type: 'Text/Plain; charset="utf-8";format=flowed' })]],
  ['a mime_type with a wildcard', [file({ mime_type: 'image/*' })]],
  ['inline data of 1 byte', [inline({ data: 'AA==' })]],
  [
    'inline data of every character of base64',
    [inline({ data: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/' })],
  ],
];

const NOT_A_URL = /must be an absolute http or https URL/;
const UNSTORABLE = /must not contain NUL characters or unpaired surrogates/;

/** Content one past each limit or of a wrong type: the field at fault and the reason. */
export const REJECTED_CONTENT: readonly RejectedContent[] = [
  ['no content', undefined, 'content', /is required/],
  ['content of null', null, 'content', /is required/],
  ['0 parts', [], 'content', /at least one part/],
  ['65 parts', parts(65), 'content', /at most 64 parts/],
  ['a part that is null', [null], 'content[0]', /must not be null/],
  ['a part that is a string', ['Hello'], 'content[0]', /must be an object/],
  ['a part that is a list', [[textPart('a')]], 'content[0]', /must be an object/],
  ['a part without a type', [{ text: 'a' }], 'content[0].type', /is required/],
  ['a part of type null', [{ type: null, text: 'a' }], 'content[0].type', /must not be null/],
  ['a part of an unknown type', [{ type: 'html', text: 'a' }], 'content[0].type', /must be one of .*text/],
  ['a part of type Text', [{ type: 'Text', text: 'a' }], 'content[0].type', /must be one of/],
  ['a part whose type is a list', [{ type: ['text'], text: 'a' }], 'content[0].type', /must be one of/],
  ['a part whose type is a number', [{ type: 1, text: 'a' }], 'content[0].type', /must be one of/],
  ['a text part without a text', [{ type: 'text' }], 'content[0].text', /is required/],
  ['a text of null', [{ type: 'text', text: null }], 'content[0].text', /is required/],
  ['a text that is a number', [{ type: 'text', text: 5 }], 'content[0].text', /must be a string/],
  ['a text that is an object', [{ type: 'text', text: { a: 1 } }], 'content[0].text', /must be a string/],
  ['an empty text', [textPart('')], 'content[0].text', /must not be blank/],
  ['a text of white space', [textPart(' \n\t\u2003\u00a0')], 'content[0].text', /must not be blank/],
  ['a text of 200,001 characters', [textPart('a'.repeat(200_001))], 'content[0].text', /at most 200,000 characters/],
  [
    'six texts of 1,000,001 characters together',
    [...Array.from({ length: 5 }, () => textPart('a'.repeat(200_000))), textPart('a')],
    'content',
    /at most 1,000,000 characters in all text parts/,
  ],
  ['a blank text in the second part', [textPart('a'), textPart(' ')], 'content[1].text', /must not be blank/],
  ['a NUL in a text', [textPart('a\0b')], 'content[0].text', UNSTORABLE],
  ['the first half of a surrogate pair in a text', [textPart('a\ud83d')], 'content[0].text', UNSTORABLE],
  ['the second half of a surrogate pair in a text', [textPart('\ude00a')], 'content[0].text', UNSTORABLE],
  ['a NUL in a mime_type', [file({ mime_type: 'image/\0' })], 'content[0].mime_type', UNSTORABLE],
  [
    'half of a surrogate pair in a mime_type',
    [file({ mime_type: 'image/\ud800' })],
    'content[0].mime_type',
    UNSTORABLE,
  ],
  ['a NUL in a file_uri', [file({ file_uri: 'https://example.com/\0' })], 'content[0].file_uri', UNSTORABLE],
  [
    'half of a surrogate pair in a file_uri',
    [file({ file_uri: 'https://example.com/\udfff' })],
    'content[0].file_uri',
    UNSTORABLE,
  ],
  ['a NUL in data', [inline({ data: 'AAA\0' })], 'content[0].data', UNSTORABLE],
  ['a file without a mime_type', [file({ mime_type: undefined })], 'content[0].mime_type', /is required/],
  ['a file without a file_uri', [file({ file_uri: undefined })], 'content[0].file_uri', /is required/],
  ['a mime_type that is a number', [file({ mime_type: 5 })], 'content[0].mime_type', /must be a string/],
  ['a mime_type without a slash', [file({ mime_type: 'image' })], 'content[0].mime_type', /must be a MIME type/],
  ['an empty mime_type', [file({ mime_type: '' })], 'content[0].mime_type', /must be a MIME type/],
  ['a mime_type of any kind', [file({ mime_type: '*/*' })], 'content[0].mime_type', /must be a MIME type/],
  ['half of a parameter', [file({ mime_type: 'text/plain;a' })], 'content[0].mime_type', /must be a MIME type/],
  ['a mime_type with a space', [file({ mime_type: 'image/png ' })], 'content[0].mime_type', /must be a MIME type/],
  [
    'a mime_type of 256 characters',
    [file({ mime_type: `image/${'a'.repeat(250)}` })],
    'content[0].mime_type',
    /at most 255/,
  ],
  ['a file_uri that is a list', [file({ file_uri: ['https://a'] })], 'content[0].file_uri', /must be a string/],
  ['a file_uri of 8,193 characters', [file({ file_uri: uriOf(8_193) })], 'content[0].file_uri', /at most 8192/],
  ['a file_uri without a protocol', [file({ file_uri: 'example.com/a.png' })], 'content[0].file_uri', NOT_A_URL],
  ['a data part without data', [inline({ data: undefined })], 'content[0].data', /is required/],
  ['a data part without a mime_type', [inline({ mime_type: undefined })], 'content[0].mime_type', /is required/],
  ['data that is an object', [inline({ data: {} })], 'content[0].data', /must be a string/],
  ['empty data', [inline({ data: '' })], 'content[0].data', /must not be empty/],
  ['data that is not base64', [inline({ data: 'AAA' })], 'content[0].data', /must be base64/],
];

/** Malformed URLs and malformed base64. */
export const MALFORMED_CONTENT: readonly RejectedContent[] = [
  ...[
    '',
    'example.com/a.png',
    '/a.png',
    '//example.com/a.png',
    'https://',
    'https:example.com',
    'https:/example.com',
    'ftp://example.com/a.png',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    ' https://example.com',
    'https://example.com/a b',
    'https://exam\nple.com',
    'https://example.com\\a',
    'https://a:b:c',
  ].map((uri): [string, object[], string, RegExp] => [
    `the file_uri ${JSON.stringify(uri)}`,
    [file({ file_uri: uri })],
    'content[0].file_uri',
    NOT_A_URL,
  ]),
  ...[
    ...['AAA', 'A', 'A===', '====', 'AA=A', 'AA==AAAA', 'AA-_', 'AA==\n', ' AAAA', 'data:image/png;base64,AAAA'],
    ...['*AAA', 'AA==AAAA', 'AAA-', 'AAA\u0141'].map((end) => 'AAAA'.repeat(50_000) + end),
    `${'A'.repeat(65_534)}==AAAA`,
  ].map((data): [string, object[], string, RegExp] => [
    `the data ${JSON.stringify(data.length > 30 ? `…${data.slice(-8)}` : data)}`,
    [inline({ data })],
    'content[0].data',
    /must be base64/,
  ]),
];
