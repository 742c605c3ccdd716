import { type ConversationFile, conversationFiles, fileIdOf, findFiles } from '../../../domain/conversations/files.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { builder } from '../builder.ts';
import { ContentPartInterface } from '../content.ts';
import { fieldPath, loadEdge } from '../edges.ts';
import { Conversation } from './conversations.ts';
import { Message } from './timeline.ts';

const File = builder.node(builder.objectRef<ConversationFile>('ConversationFile'), {
  id: { resolve: fileIdOf, description: 'The global ID, for `node`.' },
  extensions: { nodeScope: 'conversations:read' } satisfies NodeExtensions,
  description: 'A file in a message of a conversation: a part of its content that is not text.',
  loadMany: (ids, { domain }) => findFiles(domain, ids),
  fields: (t) => ({
    mimeType: t.string({
      description: 'The MIME type from the sender, for example image/png.',
      resolve: ({ content }) => content.mimeType,
    }),
    part: t.field({
      type: ContentPartInterface,
      description: 'The part of the message: a FilePart with a URL, or a DataPart with inline data.',
      resolve: ({ content }) => content,
    }),
    message: t.field({
      type: Message,
      nullable: true,
      description: 'The message of the file. Null: its conversation was deleted in the meantime.',
      resolve: ({ messageId }, _args, context, info) => loadEdge(messageId, context, info),
    }),
    conversation: t.field({
      type: Conversation,
      nullable: true,
      description: 'The conversation of the file. Null: it was deleted in the meantime.',
      resolve: ({ conversationId }, _args, context, info) => loadEdge(conversationId, context, info),
    }),
  }),
});

builder.prismaObjectField(Conversation, 'files', (t) =>
  t.connection(
    {
      type: File,
      description:
        'The files in its messages, oldest first. Files in the results of tools are not part of it: `history` has them.',
      resolve: ({ id }, args, { domain }, info) => conversationFiles(domain, id, args, fieldPath(info.path)),
    },
    { name: 'ConversationFileConnection', description: 'A page of files.' },
    { name: 'ConversationFileEdge' },
  ),
);
