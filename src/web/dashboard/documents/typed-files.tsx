import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { saveFile } from '../download.ts';
import { useEnvironment } from '../location.ts';
import { errorMessageOf } from './try-request.ts';

const FILES = [
  { name: 'openapi.json', content: 'OpenAPI 3.1 of the REST paths' },
  { name: 'documents.d.ts', content: 'TypeScript types of variables, results and errors' },
  { name: 'documents.zod.ts', content: 'Zod schemas of variables and results' },
] as const;

/**
 * The files about all documents of the environment, or about one of them. They are downloaded by a request, because a link
 * cannot send the header of the environment.
 */
export function TypedFiles({ name }: { readonly name?: string }) {
  const environment = useEnvironment();
  const [busy, setBusy] = useState('');
  const [message, setMessage] = useState('');
  const query = name === undefined ? '' : `?name=${name}`;
  const download = async (file: string) => {
    setBusy(file);
    setMessage('');
    try {
      const response = await fetch(`/v1/x/${file}${query}`, { headers: { 'x-environment': environment } });
      if (response.ok) saveFile(file, await response.blob());
      else setMessage(errorMessageOf(await response.json()));
    } catch {
      setMessage('The service could not be reached. Check your connection and try again.');
    }
    setBusy('');
  };
  return (
    <>
      <ul aria-label="Typed files" className="flex flex-col divide-y divide-line">
        {FILES.map((file) => (
          <li key={file.name} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2 first:pt-0">
            <div className="min-w-0">
              <a href={`/v1/x/${file.name}${query}`} className="wrap-anywhere font-mono text-sm text-accent underline">
                /v1/x/{file.name}
              </a>
              <p className="text-sm text-muted">{file.content}</p>
            </div>
            <div className="flex gap-1">
              <CopyButton text={`${location.origin}/v1/x/${file.name}${query}`} label="Copy URL" />
              <Button small busy={busy === file.name} onClick={() => download(file.name)}>
                Download
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <p role="status" className="mt-2 text-danger empty:hidden">
        {message}
      </p>
    </>
  );
}
