import { useContext, useEffect, useRef, useState } from 'react';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { retried } from '../ui/load.ts';
import type { Attachment } from './attachments.ts';
import { FilesContext } from './page-files.ts';

/** A file that is being uploaded. */
interface Sending {
  readonly key: number;
  readonly name: string;
  /** From 0 to 1. */
  readonly share: number;
  cancel(): void;
}

/** Uploads of a form. */
export interface Attaching {
  readonly sending: readonly Sending[];
  /**
   * Calls `use` with the attachments, and with the error texts of the others. Cancelled ones are left out. Until then the
   * files are in `sending`.
   */
  attach(files: readonly File[], use: (results: readonly (Attachment | string)[]) => void): Promise<void>;
}

let lastKey = 0;

export function useAttaching(): Attaching {
  const files = useContext(FilesContext);
  const [sending, setSending] = useState<readonly Sending[]>([]);
  const open = useRef(new Set<AbortController>());
  useEffect(() => {
    const { current } = open;
    // Leaving the form ends its uploads.
    return () => {
      for (const controller of current) controller.abort();
    };
  }, []);

  function begin(file: File) {
    const controller = new AbortController();
    open.current.add(controller);
    lastKey += 1;
    return { file, controller, key: lastKey };
  }

  async function one({ file, controller, key }: ReturnType<typeof begin>): Promise<(Attachment | string)[]> {
    const onProgress = (share: number) =>
      setSending((all) => all.map((current) => (current.key === key ? { ...current, share } : current)));
    try {
      // Most pages never attach a file.
      const { attach } = await retried(() => import('./attach.ts'));
      return [await attach(file, files, { onProgress, signal: controller.signal })];
    } catch {
      return controller.signal.aborted ? [] : [texts().upload.unreadable];
    } finally {
      open.current.delete(controller);
    }
  }

  return {
    sending,
    async attach(chosen, use) {
      const begun = chosen.map(begin);
      const shown = begun.map(({ file: { name }, controller, key }) => {
        return { key, name, share: 0, cancel: () => controller.abort() };
      });
      setSending((all) => [...all, ...shown]);
      const results = await Promise.all(begun.map(one));
      use(results.flat());
      setSending((all) => all.filter(({ key }) => !begun.some((done) => done.key === key)));
    },
  };
}

/** The progress of the uploads, each with a button that cancels it. */
export function Uploads({ sending }: Pick<Attaching, 'sending'>) {
  const t = texts().composer;
  if (sending.length === 0) return null;
  return (
    <ul aria-label={t.uploading} className="flex flex-wrap gap-2 p-1">
      {sending.map(({ key, name, share, cancel }) => (
        <li key={key} className="flex max-w-full items-center gap-2 rounded-lg bg-sunken ps-2 text-sm">
          <span className="truncate">{name}</span>
          <progress aria-label={t.uploadingFile(name)} value={share} max={1} className="w-20" />
          <Button look="quiet" small aria-label={t.cancelUpload(name)} onClick={cancel}>
            <Icon name="close" className="size-4" />
          </Button>
        </li>
      ))}
    </ul>
  );
}
