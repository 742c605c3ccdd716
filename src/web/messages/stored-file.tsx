import { useContext, useEffect, useState } from 'react';
import { texts } from '../texts/current.ts';
import { Icon } from '../ui/icon.tsx';
import { formatBytes } from '../ui/numbers.ts';
import { isPicture } from './inline-file.ts';
import { FilesContext, type KnownFile } from './page-files.ts';

/** A file of the service in a message: a picture, or a link that reads it. */
export function StoredFile({ id }: { readonly id: string }) {
  const t = texts().message;
  const { file, isMissing, refresh } = useFile(id);
  if (isMissing) return <p className="text-muted">{t.fileMissing}</p>;
  if (!file) return <p className="text-muted">{t.fileLoading}</p>;
  if (isPicture(file)) {
    return (
      <figure className="flex flex-col gap-1">
        <img
          src={file.url}
          alt={t.sentPicture}
          onError={refresh}
          className="max-h-80 max-w-full rounded-lg object-contain"
        />
        <figcaption className="text-sm text-muted">{file.name}</figcaption>
      </figure>
    );
  }
  return (
    <a
      href={file.url}
      download={file.name}
      // The address expires, so it is read again when the user is about to use it.
      onPointerEnter={refresh}
      onFocus={refresh}
      className="flex min-w-0 items-center gap-2 underline"
    >
      <Icon name="file" />
      <span className="flex min-w-0 flex-col">
        <span>{file.name}</span>
        <span className="text-sm text-muted">
          {file.mimeType}, {formatBytes(file.sizeBytes)}
        </span>
      </span>
    </a>
  );
}

/** Reads a file. `refresh` replaces an address that is about to expire. */
function useFile(id: string) {
  const files = useContext(FilesContext);
  const [file, setFile] = useState<KnownFile>();
  const [isMissing, setMissing] = useState(files === undefined);
  const read = async (isCurrent: () => boolean) => {
    try {
      const found = await files?.get(id);
      if (found && isCurrent()) setFile(found);
    } catch {
      if (isCurrent()) setMissing(true);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `files` changes with the conversation, the file does not
  useEffect(() => {
    let isCurrent = true;
    read(() => isCurrent);
    return () => {
      isCurrent = false;
    };
  }, [id]);
  return { file, isMissing, refresh: () => void read(() => true) };
}
