import { type ClipboardEvent, type FormEvent, type KeyboardEvent, type RefObject, useRef, useState } from 'react';
import type { MessageContent } from '../../sdk/index.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { sizeOf } from '../ui/size.ts';
import { type Attachment, attach, tooMuch } from './attachments.ts';

interface Props {
  /** What was written. Rejects where it could not be sent: then it comes back, unless something new was begun. */
  readonly onSend: (content: MessageContent) => Promise<unknown>;
  /** Stops what is being answered; without it there is nothing to stop. */
  readonly onStop?: (() => void) | undefined;
  /** Nothing can be sent for now; what is written stays. */
  readonly disabled?: boolean;
  readonly placeholder?: string;
  /** Where one writes, for pages that put the focus there. */
  readonly field?: RefObject<HTMLTextAreaElement | null> | undefined;
}

/** Where the user writes. Enter sends, Shift and Enter begin a new line; files are chosen, dropped or pasted. */
export function Composer({ onSend, onStop, disabled = false, placeholder = 'Write a message', field }: Props) {
  const [text, setText] = useState('');
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [fault, setFault] = useState<string>();
  const files = useRef<HTMLInputElement>(null);
  const own = useRef<HTMLTextAreaElement>(null);
  const textarea = field ?? own;
  const isEmpty = text.trim() === '' && attachments.length === 0;

  const add = async (chosen: Iterable<File>) => {
    const made = await Promise.all([...chosen].map(attach));
    const next = [...attachments, ...made.filter((one) => typeof one !== 'string')];
    setFault(made.find((one) => typeof one === 'string') ?? tooMuch(next));
    if (!tooMuch(next)) setAttachments(next);
  };
  const send = () => {
    if (disabled || isEmpty) return;
    const content = [...(text.trim() ? [{ type: 'text', text } as const] : []), ...attachments.map(({ part }) => part)];
    setText('');
    setAttachments([]);
    setFault(undefined);
    // The button that was pressed is about to be another one.
    textarea.current?.focus();
    onSend(content).catch(() => {
      setText((begun) => begun || text);
      setAttachments((begun) => (begun.length > 0 ? begun : attachments));
    });
  };
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add(event.clipboardData.files);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // While an input method composes, Enter takes its word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        add(event.dataTransfer.files);
      }}
      className="rounded-2xl border border-edge bg-surface p-2 focus-within:border-accent"
    >
      <Attached
        attachments={attachments}
        onRemove={(key) => setAttachments(attachments.filter((one) => one.key !== key))}
      />
      {fault && (
        <p role="alert" className="px-2 py-1 text-sm text-danger">
          {fault}
        </p>
      )}
      <textarea
        ref={textarea}
        aria-label="Message"
        value={text}
        rows={1}
        placeholder={placeholder}
        onChange={(event) => setText(event.target.value)}
        {...{ onKeyDown, onPaste }}
        className="field-sizing-content max-h-48 min-h-10 w-full resize-none bg-transparent px-2 py-2 outline-none placeholder:text-muted"
      />
      <div className="flex items-center justify-between">
        <input
          ref={files}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            add(event.target.files ?? []);
            event.target.value = '';
          }}
        />
        <Button look="quiet" small aria-label="Attach files" onClick={() => files.current?.click()}>
          <Icon name="attach" />
        </Button>
        {onStop ? (
          <Button
            look="plain"
            small
            onClick={() => {
              textarea.current?.focus();
              onStop();
            }}
          >
            <Icon name="stop" /> Stop
          </Button>
        ) : (
          <Button type="submit" look="primary" small aria-label="Send" disabled={disabled || isEmpty}>
            <Icon name="send" />
          </Button>
        )}
      </div>
    </form>
  );
}

interface AttachedProps {
  readonly attachments: readonly Attachment[];
  readonly onRemove: (key: number) => void;
}

function Attached({ attachments, onRemove }: AttachedProps) {
  if (attachments.length === 0) return null;
  return (
    <ul aria-label="Attached files" className="flex flex-wrap gap-2 p-1">
      {attachments.map(({ key, name, bytes }) => (
        <li key={key} className="flex max-w-full items-center gap-1 rounded-lg bg-sunken pl-2 text-sm">
          <span className="truncate">{name}</span>
          <span className="text-muted">{sizeOf(bytes)}</span>
          <Button look="quiet" small aria-label={`Remove ${name}`} onClick={() => onRemove(key)}>
            <Icon name="close" className="size-4" />
          </Button>
        </li>
      ))}
    </ul>
  );
}
