import { fileNameIn, withoutParameters } from '../../contract/file-name.ts';
import { fileIdOfUri } from '../../contract/file-uri.ts';
import type { ContentPart, MessageContent, MessageRole } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { Icon } from '../ui/icon.tsx';
import { formatBytes } from '../ui/numbers.ts';
import { dataAddress, isPicture } from './inline-file.ts';
import { Markdown } from './markdown.tsx';
import { OutsideLink } from './outside-link.tsx';
import { StoredFile } from './stored-file.tsx';

/** The parts of a message. User text is shown unchanged, replies as Markdown. */
export function MessageParts({ role, content }: { readonly role: MessageRole; readonly content: MessageContent }) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {content.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a message never change
        <Part key={index} part={part} role={role} />
      ))}
    </div>
  );
}

function Part({ part, role }: { readonly part: ContentPart; readonly role: MessageRole }) {
  const t = texts().message;
  if (part.type === 'text') {
    if (role === 'assistant') return <Markdown text={part.text} />;
    return (
      <p dir="auto" className="whitespace-pre-wrap">
        {part.text}
      </p>
    );
  }
  if (part.type !== 'data') {
    const id = fileIdOfUri(part.fileUri);
    if (id) return <StoredFile id={id} />;
    return (
      <span className="flex items-center gap-2">
        <Icon name="file" />
        <OutsideLink href={part.fileUri}>{part.fileUri}</OutsideLink>
      </span>
    );
  }
  const name = fileNameIn(part.mimeType);
  if (isPicture(part)) {
    return (
      <figure className="flex flex-col gap-1">
        <img src={dataAddress(part)} alt={t.sentPicture} className="max-h-80 max-w-full rounded-lg object-contain" />
        {name && <figcaption className="text-sm text-muted">{name}</figcaption>}
      </figure>
    );
  }
  return (
    <a href={dataAddress(part)} download={name ?? t.attachment} className="flex min-w-0 items-center gap-2 underline">
      <Icon name="file" />
      <span className="flex min-w-0 flex-col">
        {name && <span>{name}</span>}
        <span className={name && 'text-sm text-muted'}>
          {withoutParameters(part.mimeType)}, {formatBytes(bytesOf(part.data))}
        </span>
      </span>
    </a>
  );
}

function bytesOf(base64: string): number {
  return Math.floor(base64.replace(/=+$/, '').length * 0.75);
}
