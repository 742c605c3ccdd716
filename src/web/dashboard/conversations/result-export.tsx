import { type ReactNode, useState } from 'react';
import { buttonClass, Spinner } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { csvOf } from '../csv.ts';
import { saveFile } from '../download.ts';
import { fetchExport } from '../export.ts';
import { useEnvironment } from '../location.ts';
import { restQuery, useListFilter } from './use-list-filter.ts';

const FORMATS = ['CSV', 'NDJSON'] as const;

/** A menu that downloads the conversations that match the filters, next to other actions. */
export function ResultExport({ children }: { readonly children: ReactNode }) {
  const environment = useEnvironment();
  const { filter, order } = useListFilter();
  const [busy, setBusy] = useState<(typeof FORMATS)[number]>();
  const [message, setMessage] = useState('');
  const download = async (format: (typeof FORMATS)[number]) => {
    setBusy(format);
    setMessage('');
    try {
      const lines = await fetchExport(`/v1/conversations/export?${restQuery(filter, order)}`, environment);
      if (format === 'NDJSON') saveFile('conversations.ndjson', lines);
      else saveFile('conversations.csv', csvOf(rowsOf(await lines.text())));
    } catch (error) {
      setMessage(error instanceof Error ? error.message : 'The export failed. Try again.');
    }
    setBusy(undefined);
  };
  return (
    <>
      {children}
      <Menu
        trigger={<>{busy ? <Spinner /> : <Icon name="outgoing" className="size-4" />} Export</>}
        className={buttonClass()}
        groups={[
          {
            items: FORMATS.map((format) => ({
              label: `Export ${format}`,
              onSelect: () => {
                if (!busy) void download(format);
              },
            })),
          },
        ]}
      />
      <p role="status" className="w-full text-danger empty:hidden">
        {message}
      </p>
    </>
  );
}

interface Line {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A header and a row per conversation. */
function rowsOf(text: string): (string | number | null)[][] {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const found = lines.flatMap(({ type, data }) => (type === 'conversation' ? [data] : []));
  const columns = Object.keys(found[0] ?? { conversation_id: '' });
  return [columns, ...found.map((row) => columns.map((column) => cellOf(row[column])))];
}

function cellOf(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'string') return value;
  return JSON.stringify(value);
}
