import { fileIdOfUri } from '../../../contract/file-uri.ts';
import { resultFilesOf } from '../../../domain/actions/result-files.ts';
import { fileOfPart } from '../../../domain/files/reads.ts';
import { builder } from '../builder.ts';
import { ActionCall } from '../conversations/timeline.ts';
import { File } from '../files/files.ts';

builder.objectField(ActionCall, 'files', (t) =>
  t.field({
    type: [File],
    nullable: true,
    // The scope that the trace needs, which names them too.
    access: { scope: 'traces:read' },
    description:
      'The files that the tool returned and the model received, without those that were deleted. Only tools of MCP servers return files. Null: the caller lacks the scope. Scope: traces:read.',
    resolve: async ({ output }, _args, { domain }) => {
      const ids = resultFilesOf({ kind: 'action', output }).flatMap(({ file_uri }) => fileIdOfUri(file_uri) ?? []);
      const files = await Promise.all(ids.map((id) => fileOfPart(domain, id)));
      return files.filter((file) => file !== null);
    },
  }),
);
