import { type DragEvent, type ReactNode, type RefObject, useRef, useState } from 'react';
import { type Attachment, attach } from '../../messages/attachments.ts';
import { dataAddress, isPicture } from '../../messages/inline-file.ts';
import { texts } from '../../texts/current.ts';
import { uploadRequestOf } from '../../timeline/client-tools.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { formatBytes } from '../../ui/numbers.ts';
import { useDraft } from '../drafts.ts';
import { FormCard } from './form-card.tsx';
import { type FormProps, rejectionText } from './form-props.ts';
import { type Chosen, fileError, limitsText, uploadOutput } from './upload-rules.ts';

const NO_FILES: readonly Chosen[] = [];

/** The form of upload_document. */
export function UploadForm({ call, address, rejection, onOutput, viewer: _, ...card }: FormProps) {
  const t = texts().upload;
  const request = uploadRequestOf(call.arguments);
  const [chosen, setChosen] = useDraft(address, NO_FILES);
  const [error, setError] = useState<string>();
  const picker = useRef<HTMLButtonElement>(null);

  const add = async (files: readonly File[]) => {
    if (files.length === 0 || card.isSending) return;
    const problem = fileError(request, files, chosen);
    setError(problem);
    if (problem) return;
    const unreadable = [t.unreadable];
    const results: readonly (Attachment | string)[] = await Promise.all(files.map(attach)).catch(() => unreadable);
    const added = results.flatMap((result) =>
      typeof result === 'string' ? [] : [{ name: result.name, bytes: result.bytes, part: result.part }],
    );
    setError(results.find((result) => typeof result === 'string'));
    setChosen(request.multiple ? [...chosen, ...added] : added.length > 0 ? added : chosen);
  };
  const remove = (removed: Chosen) => {
    setChosen(chosen.filter((file) => file !== removed));
    setError(undefined);
    picker.current?.focus();
  };
  const onSubmit = () => {
    if (chosen.length > 0) return onOutput(uploadOutput(chosen));
    setError(request.multiple ? t.chooseAtLeastOne : t.chooseSome);
    picker.current?.focus();
  };
  const errors = [error, rejection && rejectionText(rejection, t.theUpload)].filter((text) => text !== undefined);
  return (
    <FormCard
      title={request.prompt || t.title}
      lead={<p className="mt-1 text-sm text-muted">{limitsText(request)}</p>}
      errors={errors}
      onSubmit={onSubmit}
      {...card}
    >
      <DropArea onFiles={add} hint={request.multiple ? t.dropFiles : t.dropFile}>
        <FilePicker request={request} button={picker} hasFiles={chosen.length > 0} onFiles={add} />
      </DropArea>
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

function Preview({ part }: Chosen) {
  if (!isPicture(part)) return <Icon name="file" className="size-10 p-2 text-muted" />;
  return <img src={dataAddress(part)} alt="" className="size-10 rounded object-cover" />;
}
