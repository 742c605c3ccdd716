import { type DragEvent, type ReactNode, type RefObject, useContext, useEffect, useRef, useState } from 'react';
import { FilesContext } from '../../messages/page-files.ts';
import { Uploads, useAttaching } from '../../messages/use-attaching.tsx';
import { texts } from '../../texts/current.ts';
import { uploadRequestOf } from '../../timeline/client-tools.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { formatBytes } from '../../ui/numbers.ts';
import { useDraft } from '../drafts.ts';
import { FormCard } from './form-card.tsx';
import { type FormProps, rejectionText } from './form-props.ts';
import { type Chosen, chosenOf, fileError, limitsOf, limitsText, uploadOutput } from './upload-rules.ts';

const NO_FILES: readonly Chosen[] = [];

/** The form of upload_document. */
export function UploadForm({ call, address, rejection, onOutput, viewer: _, ...card }: FormProps) {
  const t = texts().upload;
  const request = uploadRequestOf(call.arguments);
  const [chosen, setChosen] = useDraft(address, NO_FILES);
  const [error, setError] = useState<string>();
  // Files can be removed and added while others are being uploaded.
  const latest = useRef(chosen);
  latest.current = chosen;
  const picker = useRef<HTMLButtonElement>(null);

  const attaching = useAttaching();
  const limits = limitsOf(useContext(FilesContext));
  const isUploading = attaching.sending.length > 0;
  /** The user has submitted the form, and its files are still being uploaded. */
  const [sendsLater, setSendsLater] = useState(false);

  const add = async (files: readonly File[]) => {
    if (files.length === 0 || card.isSending) return;
    const problem = fileError(request, files, chosen, limits);
    setError(problem);
    if (problem) return;
    await attaching.attach(files, (results) => {
      const added = results.flatMap((result) => (typeof result === 'string' ? [] : [chosenOf(result)]));
      const failure = results.find((result) => typeof result === 'string');
      setError(failure);
      if (failure) setSendsLater(false);
      const { current } = latest;
      setChosen(request.multiple ? [...current, ...added] : added.length > 0 ? added : current);
    });
  };
  const remove = (removed: Chosen) => {
    setChosen(chosen.filter((file) => file !== removed));
    setError(undefined);
    picker.current?.focus();
  };
  const onSubmit = () => {
    setSendsLater(isUploading);
    if (isUploading) return;
    if (chosen.length > 0) return onOutput(uploadOutput(chosen));
    setError(request.multiple ? t.chooseAtLeastOne : t.chooseSome);
    picker.current?.focus();
  };
  const isComplete = sendsLater && !isUploading;
  // biome-ignore lint/correctness/useExhaustiveDependencies: submits once, when the last file is complete
  useEffect(() => {
    if (isComplete) onSubmit();
  }, [isComplete]);
  const errors = [error, rejection && rejectionText(rejection, t.theUpload)].filter((text) => text !== undefined);
  return (
    <FormCard
      title={request.prompt || t.title}
      lead={<p className="mt-1 text-sm text-muted">{limitsText(request, limits)}</p>}
      errors={errors}
      onSubmit={onSubmit}
      {...card}
    >
      <DropArea onFiles={add} hint={request.multiple ? t.dropFiles : t.dropFile}>
        <FilePicker request={request} button={picker} hasFiles={chosen.length > 0} onFiles={add} />
      </DropArea>
      <Uploads sending={attaching.sending} />
      {chosen.length > 0 && <ChosenFiles chosen={chosen} onRemove={remove} />}
    </FormCard>
  );
}

interface AreaProps {
  readonly onFiles: (files: readonly File[]) => void;
  readonly hint: string;
  readonly children: ReactNode;
}

function DropArea({ onFiles, hint, children }: AreaProps) {
  const [isOver, setOver] = useState(false);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keyboard
    <div
      data-drop
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      className={`flex flex-col items-center gap-2 rounded-lg border-2 border-dashed p-6 text-center ${isOver ? 'border-accent bg-accent-soft' : 'border-line'}`}
    >
      {children}
      <p className="text-sm text-muted max-sm:hidden">{hint}</p>
    </div>
  );
}

interface PickerProps {
  readonly request: ReturnType<typeof uploadRequestOf>;
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly hasFiles: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

function FilePicker({ request: { accept, multiple }, button, hasFiles, onFiles }: PickerProps) {
  const input = useRef<HTMLInputElement>(null);
  const t = texts().upload;
  const [first, next] = multiple ? [t.chooseFiles, t.chooseMore] : [t.chooseFile, t.chooseAnother];
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple={multiple}
        accept={accept.join(',') || undefined}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <Button ref={button} onClick={() => input.current?.click()}>
        <Icon name="attach" /> {hasFiles ? next : first}
      </Button>
    </>
  );
}

interface ChosenProps {
  readonly chosen: readonly Chosen[];
  readonly onRemove: (file: Chosen) => void;
}

function ChosenFiles({ chosen, onRemove }: ChosenProps) {
  return (
    <ul aria-label={texts().upload.chosen} className="flex flex-col gap-2">
      {chosen.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may be the same
        <li key={index} className="flex items-center gap-3 rounded-lg bg-sunken p-2">
          <Preview {...file} />
          <span className="min-w-0 flex-1 truncate">{file.name}</span>
          <span className="text-sm whitespace-nowrap text-muted">{formatBytes(file.bytes)}</span>
          <Button look="quiet" small aria-label={texts().composer.remove(file.name)} onClick={() => onRemove(file)}>
            <Icon name="close" className="size-4" />
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** The picture of an uploaded file is gone after a reload. */
function Preview({ preview }: Chosen) {
  const [isBroken, setBroken] = useState(false);
  if (!preview || isBroken) return <Icon name="file" className="size-10 p-2 text-muted" />;
  return <img src={preview} alt="" onError={() => setBroken(true)} className="size-10 rounded object-cover" />;
}
