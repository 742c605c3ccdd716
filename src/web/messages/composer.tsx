import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { MessageContent } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { formatBytes } from '../ui/numbers.ts';
import { type Attachment, sizeError } from './attachments.ts';
import { Uploads, useAttaching } from './use-attaching.tsx';

/** The beginning of a message. A new object fills the field again. */
export interface Beginning {
  readonly text: string;
}

interface Props {
  /** Sends a message. If it rejects, the text returns to the composer, unless the user has written something new. */
  readonly onSend: (content: MessageContent) => Promise<unknown>;
  /** Takes the text each time that the user changes it, and an empty one when the user sends it. */
  readonly onType?: ((text: string) => void) | undefined;
  /** Stops the reply. Undefined if no reply is running. */
  readonly onStop?: (() => void) | undefined;
  /** The reply is being stopped. */
  readonly isStopping?: boolean;
  /** Sending is not possible now. The text stays. */
  readonly disabled?: boolean;
  /** The label of the text field. */
  readonly label?: string;
  readonly placeholder?: string;
  /** Replaces the text when it changes: a suggestion that the user completes. */
  readonly beginning?: Beginning | undefined;
  /** The ref of the text field, for pages that focus it. */
  readonly field?: RefObject<HTMLTextAreaElement | null> | undefined;
}

/** The message field. Enter sends, Shift+Enter starts a new line. Files can be chosen, dropped or pasted. */
export function Composer(props: Props) {
  const t = texts().composer;
  const { onSend, onType, onStop, isStopping = false, disabled = false, beginning, field } = props;
  const { label = t.message, placeholder = t.placeholder } = props;
  const [text, setText] = useState('');
  const [filled, setFilled] = useState(beginning);
  if (beginning !== filled) {
    setFilled(beginning);
    setText(beginning?.text ?? '');
  }
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [error, setError] = useState<string>();
  const attaching = useAttaching();
  const isUploading = attaching.sending.length > 0;
  /** The user has sent the message, and its files are still being uploaded. */
  const [sendsLater, setSendsLater] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const ownField = useRef<HTMLTextAreaElement>(null);
  const textarea = field ?? ownField;
  const isEmpty = text.trim() === '' && attachments.length === 0;

  const add = async (chosen: Iterable<File>) => {
    await attaching.attach([...chosen], (results) => {
      const problem = results.find((result) => typeof result === 'string');
      const added = results.filter((result) => typeof result !== 'string');
      const tooLarge = sizeError([...attachments, ...added]);
      setError(problem ?? tooLarge);
      if (problem || tooLarge) setSendsLater(false);
      if (!tooLarge) setAttachments((current) => [...current, ...added]);
    });
  };
  const send = () => {
    if (disabled || (isEmpty && !isUploading)) return;
    setSendsLater(isUploading);
    if (isUploading) return;
    const content = [...(text.trim() ? [{ type: 'text', text } as const] : []), ...attachments.map(({ part }) => part)];
    setText('');
    onType?.('');
    setAttachments([]);
    setError(undefined);
    // The Send button is replaced by Stop and would lose the focus.
    textarea.current?.focus();
    onSend(content).catch(() => {
      setText((current) => current || text);
      setAttachments((current) => (current.length > 0 ? current : attachments));
    });
  };
  const isComplete = sendsLater && !isUploading;
  // biome-ignore lint/correctness/useExhaustiveDependencies: sends once, when the last file is complete
  useEffect(() => {
    if (isComplete) send();
  }, [isComplete]);
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add(event.clipboardData.files);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // In an input method, Enter accepts the composed word.
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
      <AttachedFiles
        attachments={attachments}
        onRemove={(key) => setAttachments(attachments.filter((one) => one.key !== key))}
      />
      <Uploads sending={attaching.sending} />
      {error && (
        <p role="alert" className="px-2 py-1 text-sm text-danger">
          {error}
        </p>
      )}
      <textarea
        ref={textarea}
        // An empty field has the direction of the page, for its placeholder.
        dir={text === '' ? undefined : 'auto'}
        aria-label={label}
        value={text}
        rows={1}
        placeholder={placeholder}
        onChange={(event) => {
          setText(event.target.value);
          onType?.(event.target.value);
        }}
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
        <Button look="quiet" small aria-label={t.attach} onClick={() => files.current?.click()}>
          <Icon name="attach" />
        </Button>
        {onStop ? (
          <Button
            small
            busy={isStopping}
            onClick={() => {
              textarea.current?.focus();
              onStop();
            }}
          >
            {!isStopping && <Icon name="stop" />} {texts().turn.stop}
          </Button>
        ) : (
          <Button
            type="submit"
            look="primary"
            small
            aria-label={t.send}
            busy={sendsLater}
            disabled={disabled || (isEmpty && !isUploading)}
          >
            <Icon name="send" className="size-5 rtl:-scale-x-100" />
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

function AttachedFiles({ attachments, onRemove }: AttachedProps) {
  const t = texts().composer;
  if (attachments.length === 0) return null;
  return (
    <ul aria-label={t.attached} className="flex flex-wrap gap-2 p-1">
      {attachments.map(({ key, name, bytes, preview }) => (
        <li key={key} className="flex max-w-full items-center gap-1 rounded-lg bg-sunken ps-2 text-sm">
          {preview && <img src={preview} alt="" className="my-1 me-1 size-10 rounded object-cover" />}
          <span className="truncate">{name}</span>
          <span className="text-muted">{formatBytes(bytes)}</span>
          <Button look="quiet" small aria-label={t.remove(name)} onClick={() => onRemove(key)}>
            <Icon name="close" className="size-4" />
          </Button>
        </li>
      ))}
    </ul>
  );
}
