import type { ContentPart, DataPart, FilePart, TextPart } from '../../contract/content.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatBytes } from '../../contract/quantities.ts';
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
