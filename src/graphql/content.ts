import type { ContentPart, DataPart, FilePart, TextPart } from '../contract/content.ts';
import { builder } from './builder.ts';
import { ContentPartTypeEnum } from './enums.ts';

export const ContentPartInterface = builder.interfaceRef<ContentPart>('ContentPart').implement({
  description: 'One part of a message: text, a file by reference, or a file inline.',
  resolveType: ({ type }) => {
    if (type === 'text') return 'TextPart';
    return type === 'data' ? 'DataPart' : 'FilePart';
  },
  fields: (t) => ({ type: t.expose('type', { type: ContentPartTypeEnum, description: 'Which of the parts it is.' }) }),
});

builder.objectRef<TextPart>('TextPart').implement({
  description: 'Text that a person or the assistant wrote.',
  interfaces: [ContentPartInterface],
  isTypeOf: (value) => (value as ContentPart).type === 'text',
  fields: (t) => ({ text: t.exposeString('text', { description: 'The text, never blank in a user message.' }) }),
});

builder.objectRef<FilePart>('FilePart').implement({
  description: 'A file by reference.',
  interfaces: [ContentPartInterface],
  fields: (t) => ({
    mimeType: t.exposeString('mimeType', { description: 'As the sender gave it, like application/pdf.' }),
    fileUri: t.exposeString('fileUri', { description: 'An absolute http or https URL.' }),
  }),
});

builder.objectRef<DataPart>('DataPart').implement({
  description: 'A file inline.',
  interfaces: [ContentPartInterface],
  fields: (t) => ({
    mimeType: t.exposeString('mimeType', { description: 'As the sender gave it, like image/png.' }),
    data: t.exposeString('data', { description: 'Base64, at most 8 MiB once decoded.' }),
  }),
});

export const ContentPartInput = builder.inputType('ContentPartInput', {
  description: 'One part of a message. Give the fields of its type and no others.',
  fields: (t) => ({
    type: t.field({ type: ContentPartTypeEnum, required: true, description: 'Which fields follow.' }),
    text: t.string({ description: 'For text: 1 to 200,000 characters, not blank.' }),
    mimeType: t.string({ description: 'For files: like image/png.' }),
    fileUri: t.string({ description: 'For url, image, video and audio: an absolute http or https URL.' }),
    data: t.string({ description: 'For data: base64, at most 8 MiB once decoded.' }),
  }),
});
