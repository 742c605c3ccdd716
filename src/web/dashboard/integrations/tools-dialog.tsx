import type { ResultOf } from 'gql.tada';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge, Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { Table } from '../frame/table.tsx';
import { useServiceQuery } from '../requests.ts';
import { MCP_TOOLS } from './documents.ts';
import type { Integration } from './integration-dialogs.tsx';

type Found = NonNullable<ResultOf<typeof MCP_TOOLS>['integration']>;

interface Props {
  readonly integration: Integration;
  readonly onClose: () => void;
}

/** What an MCP server offers now, and its last error. */
export function ToolsDialog({ integration: { integrationId, name }, onClose }: Props) {
  const query = useServiceQuery(MCP_TOOLS, { id: integrationId });
  return (
    <Dialog title={`Tools of ${name}`} onClose={onClose}>
      <Loaded query={query}>{({ integration }) => integration && <Tools {...integration} />}</Loaded>
    </Dialog>
  );
}

function Tools({ mcpTools, lastError, lastErrorAt }: Found) {
  return (
    <div className="flex flex-col gap-4">
      {mcpTools ? <Lists {...mcpTools} /> : <p>The integration is disconnected.</p>}
      {lastError && lastErrorAt && (
        <p className="text-sm text-muted">
          Last error: {lastError} <Time at={lastErrorAt} />
        </p>
      )}
    </div>
  );
}

function Lists({ tools, leftOutTools, problem }: NonNullable<Found['mcpTools']>) {
  return (
    <>
      {problem ? <Notice tone="warn">{problem}</Notice> : <Notice tone="ok">The server responds.</Notice>}
      <Table
        label="Tools"
        columns={[
          { title: 'Name', cell: (tool) => <span className="wrap-anywhere font-mono text-sm">{tool.name}</span> },
          { title: 'Effect', cell: ({ readOnly }) => (readOnly ? <Badge>Read-only</Badge> : 'Can change something') },
        ]}
        rows={tools}
        keyOf={(tool) => tool.name}
        empty={<p>The server has no tools that workflows can use.</p>}
      />
      {leftOutTools.length > 0 && (
        <Table
          label="Left-out tools"
          columns={[
            { title: 'Left out', cell: (tool) => <span className="wrap-anywhere font-mono text-sm">{tool.name}</span> },
            { title: 'Reason', cell: ({ reason }) => reason },
          ]}
          rows={leftOutTools.map((tool, index) => ({ ...tool, index }))}
          keyOf={({ index }) => index}
          empty={null}
        />
      )}
    </>
  );
}
