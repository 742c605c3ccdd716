import { type DragEvent, type ReactNode, type RefObject, useRef, useState } from 'react';
import { type Attachment, attach } from '../../messages/attachments.ts';
import { uploadRequestOf } from '../../timeline/client-tools.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { sizeOf } from '../../ui/size.ts';
import { useDraft } from '../drafts.ts';
import { FormCard } from './form-card.tsx';
import { type FormProps, refusalText } from './form-props.ts';
import { type Chosen, fileFault, limitsOf, uploadOutput } from './upload-rules.ts';

const NONE: readonly Chosen[] = [];

/** The document that upload_document asks for. */
export function UploadForm({ call, place, refusal, onGive, ...card }: FormProps) {
  const request = uploadRequestOf(call.arguments);
  const [chosen, setChosen] = useDraft(place, NONE);
  const [fault, setFault] = useState<string>();
  const picker = useRef<HTMLButtonElement>(null);

  const add = async (files: readonly File[]) => {
    if (files.length === 0 || card.isSending) return;
    const problem = fileFault(request, files, chosen);
    setFault(problem);
    if (problem) return;
    const unreadable = ['A file could not be read. Choose it again.'];
    const read: readonly (Attachment | string)[] = await Promise.all(files.map(attach)).catch(() => unreadable);
    const made = read.flatMap((one) =>
      typeof one === 'string' ? [] : [{ name: one.name, bytes: one.bytes, part: one.part }],
    );
    setFault(read.find((one) => typeof one === 'string'));
    setChosen(request.multiple ? [...chosen, ...made] : made.length > 0 ? made : chosen);
  };
  const remove = (gone: Chosen) => {
    setChosen(chosen.filter((one) => one !== gone));
    setFault(undefined);
    picker.current?.focus();
  };
  const onSubmit = () => {
    if (chosen.length > 0) return onGive(uploadOutput(chosen));
    setFault(request.multiple ? 'Choose at least one file.' : 'Choose a file.');
    picker.current?.focus();
  };
  const faults = [fault, refusal && refusalText(refusal, 'What was sent')].filter((one) => one !== undefined);
  return (
    <FormCard
      title={request.prompt || 'The assistant asks for a document'}
      lead={<p className="mt-1 text-sm text-muted">{limitsOf(request)}</p>}
      faults={faults}
      onSubmit={onSubmit}
      {...card}
    >
      <DropArea onFiles={add} takes={request.multiple ? 'them' : 'it'}>
        <FilePicker request={request} button={picker} hasFiles={chosen.length > 0} onFiles={add} />
      </DropArea>
      {chosen.length > 0 && <ChosenFiles chosen={chosen} onRemove={remove} />}
    </FormCard>
  );
}

interface AreaProps {
  readonly onFiles: (files: readonly File[]) => void;
  /** What may be dropped. */
  readonly takes: 'it' | 'them';
  readonly children: ReactNode;
}

function DropArea({ onFiles, takes, children }: AreaProps) {
  const [isOver, setOver] = useState(false);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same without a mouse
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
      <p className="text-sm text-muted max-sm:hidden">or drop {takes} here</p>
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
  const label = multiple
    ? hasFiles
      ? 'Choose more files'
      : 'Choose files'
    : hasFiles
      ? 'Choose another file'
      : 'Choose a file';
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
        <Icon name="attach" /> {label}
      </Button>
    </>
  );
}

interface ChosenProps {
  readonly chosen: readonly Chosen[];
  readonly onRemove: (gone: Chosen) => void;
}

function ChosenFiles({ chosen, onRemove }: ChosenProps) {
  return (
    <ul aria-label="Chosen files" className="flex flex-col gap-2">
      {chosen.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may be the same
        <li key={index} className="flex items-center gap-3 rounded-lg bg-sunken p-2">
          <Preview {...file} />
          <span className="min-w-0 flex-1 truncate">{file.name}</span>
          <span className="text-sm whitespace-nowrap text-muted">{sizeOf(file.bytes)}</span>
          <Button look="quiet" small aria-label={`Remove ${file.name}`} onClick={() => onRemove(file)}>
            <Icon name="close" className="size-4" />
          </Button>
        </li>
      ))}
    </ul>
  );
}

function Preview({ part: { mimeType, data } }: Chosen) {
  const isPicture = /^image\/(png|jpeg|gif|webp|avif)$/.test(mimeType);
  if (!isPicture) return <Icon name="file" className="size-10 p-2 text-muted" />;
  return <img src={`data:${mimeType};base64,${data}`} alt="" className="size-10 rounded object-cover" />;
}
