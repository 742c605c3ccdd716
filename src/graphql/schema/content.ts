import type { ContentPart, DataPart, FilePart, TextPart } from '../../contract/content.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatBytes, formatCount } from '../../contract/quantities.ts';
import { builder } from './builder.ts';
import { ContentPartTypeEnum } from './enums.ts';

export const ContentPartInterface = builder.interfaceRef<ContentPart>('ContentPart').implement({
  description: 'One part of a message: text, a file by URL, or an inline file.',
  resolveType: ({ type }) => {
    if (type === 'text') return 'TextPart';
    return type === 'data' ? 'DataPart' : 'FilePart';
  },
  fields: (t) => ({ type: t.expose('type', { type: ContentPartTypeEnum, description: 'The type of the part.' }) }),
});

builder.objectRef<TextPart>('TextPart').implement({
  description: 'Text from the user or the assistant.',
  interfaces: [ContentPartInterface],
  isTypeOf: (value) => (value as ContentPart).type === 'text',
  fields: (t) => ({ text: t.exposeString('text', { description: 'The text. In a user message it is never blank.' }) }),
});

export const FilePartObject = builder.objectRef<FilePart>('FilePart').implement({
  description: 'A file by URL, or an uploaded file.',
  interfaces: [ContentPartInterface],
  fields: (t) => ({
    mimeType: t.exposeString('mimeType', {
      description: 'The MIME type from the sender, for example application/pdf.',
    }),
    fileUri: t.exposeString('fileUri', {
      description: 'An absolute http or https URL, or the parley: URI of an uploaded file.',
    }),
  }),
});

builder.objectRef<DataPart>('DataPart').implement({
  description: 'An inline file.',
  interfaces: [ContentPartInterface],
  fields: (t) => ({
    mimeType: t.exposeString('mimeType', { description: 'The MIME type from the sender, for example image/png.' }),
    data: t.exposeString('data', { description: `Base64 of at most ${formatBytes(LIMITS.inlineBytes)} of data.` }),
  }),
});

const FileInput = builder.inputType('FileInput', {
  description: 'A file by URL, or an uploaded file.',
  fields: (t) => ({
    mimeType: t.string({ required: true, description: 'The MIME type, for example image/png.' }),
    fileUri: t.string({
      required: true,
      description: 'An absolute http or https URL, or the `fileUri` of an upload.',
    }),
  }),
});

const InlineFileInput = builder.inputType('InlineFileInput', {
  description: 'An inline file.',
  fields: (t) => ({
    mimeType: t.string({ required: true, description: 'The MIME type, for example image/png.' }),
    data: t.string({ required: true, description: `Base64 of at most ${formatBytes(LIMITS.inlineBytes)} of data.` }),
  }),
});

export const ContentPartInput = builder.inputType('ContentPartInput', {
  isOneOf: true,
  description: 'One part of a message: exactly one of the fields.',
  fields: (t) => ({
    text: t.string({ description: `Text: 1 to ${formatCount(LIMITS.textLength)} characters, not blank.` }),
    url: t.field({ type: FileInput, description: 'A file of any media type.' }),
    image: t.field({ type: FileInput, description: 'A file whose media type is an image.' }),
    video: t.field({ type: FileInput, description: 'A file whose media type is a video.' }),
    audio: t.field({ type: FileInput, description: 'A file whose media type is audio.' }),
    data: t.field({ type: InlineFileInput, description: 'An inline file.' }),
  }),
});
