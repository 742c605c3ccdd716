import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { CodeBlock } from '../../ui/code.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { Expandable, ExpandableList } from '../frame/expandable.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { BreakingChanges } from './check-result.tsx';
import type { DocumentData } from './document-data.ts';
import { DOCUMENT_VERSIONS, VERSION_TEXT } from './documents.ts';

type Version = NonNullable<ResultOf<typeof DOCUMENT_VERSIONS>['document']>['versions']['nodes'][number];

/** The kept versions, newest first, with their texts. */
export function VersionsTab({ document: { documentId, version } }: { readonly document: DocumentData }) {
  const query = useServiceQuery(DOCUMENT_VERSIONS, { id: documentId, ...usePosition() });
  return (
    <Loaded query={query}>
      {({ document }) =>
        document && (
          <div className="flex flex-col gap-4">
            <p className="text-muted">To roll back, copy an earlier text into the operation and publish it.</p>
            <ExpandableList label="Versions">
              {document.versions.nodes.map((one) => (
                <VersionItem key={one.number} version={one} isCurrent={one.number === version} />
              ))}
            </ExpandableList>
            <Pager pageInfo={document.versions.pageInfo} />
          </div>
        )
      }
    </Loaded>
  );
}

function VersionItem({ version, isCurrent }: { readonly version: Version; readonly isCurrent: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { number, createdAt, acknowledgedChanges } = version;
  return (
    <Expandable
      onToggle={setOpen}
      summary={
        <>
          <span className="font-medium">Version {number}</span>
          {isCurrent && <Badge tone="ok">Current</Badge>}
          {acknowledgedChanges.length > 0 && <Badge tone="warn">Breaking</Badge>}
          <span className="text-sm text-muted">
            <Time at={createdAt} /> by {authorOf(version)}
          </span>
        </>
      }
    >
      {acknowledgedChanges.length > 0 && (
        <div>
          <p className="mb-1 text-sm text-muted">Acknowledged breaking changes</p>
          <BreakingChanges changes={acknowledgedChanges} />
        </div>
      )}
      {isOpen && <VersionText id={version.id} />}
    </Expandable>
  );
}

function VersionText({ id }: { readonly id: string }) {
  const query = useServiceQuery(VERSION_TEXT, { id });
  return (
    <Loaded query={query}>
      {({ node }) =>
        node && 'text' in node ? <CodeBlock label="Text" text={node.text} /> : <p>The version was deleted.</p>
      }
    </Loaded>
  );
}

/** Only administrators can see the name. */
function authorOf({ author, authorKind }: Version): string {
  if (author && 'name' in author) return author.__typename === 'ApiKey' ? `key ${author.name}` : author.name;
  return authorKind === 'API_KEY' ? 'an API key' : 'a member';
}
