import { type ReactNode, useMemo } from 'react';
import { LIMITS } from '../../contract/limits.ts';
import type { ParleyClient } from '../../sdk/index.ts';
import { type FileClient, usePageFiles } from '../hosted/use-page-files.ts';
import { FilesContext } from '../messages/page-files.ts';
import { useEnvironment } from './location.ts';

/** Uploads and reads of the member, in the environment of the dashboard. */
export function DashboardFiles({ children }: { readonly children: ReactNode }) {
  const environment = useEnvironment();
  const client = useMemo(() => lazyClient(environment), [environment]);
  return <FilesContext value={usePageFiles(client, null, LIMITS.defaultFileBytes)}>{children}</FilesContext>;
}

/** Loads the SDK with the first file, because most pages show no files. */
function lazyClient(environment: string): FileClient {
  let loading: Promise<ParleyClient> | undefined;
  const load = async () => {
    const { createFilesClient } = await import('./files-client.ts');
    return createFilesClient(environment);
  };
  const files = async () => {
    loading ??= load();
    return (await loading).files;
  };
  return {
    files: {
      upload: async (...args) => (await files()).upload(...args),
      get: async (...args) => (await files()).get(...args),
    },
  };
}
