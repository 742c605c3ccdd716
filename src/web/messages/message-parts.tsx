import type { ContentPart, MessageContent, MessageRole } from '../../sdk/index.ts';
import { Icon } from '../ui/icon.tsx';
import { formatBytes } from '../ui/numbers.ts';
import { Markdown } from './markdown.tsx';
import { OutsideLink } from './outside-link.tsx';

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
  if (part.type === 'text') {
    if (role === 'assistant') return <Markdown text={part.text} />;
    return <p className="whitespace-pre-wrap">{part.text}</p>;
  }
  if (part.type !== 'data') {
    return (
      <span className="flex items-center gap-2">
        <Icon name="file" />
        <OutsideLink href={part.fileUri}>{part.fileUri}</OutsideLink>
      </span>
    );
  }
  const address = `data:${part.mimeType};base64,${part.data}`;
  if (/^image\/(png|jpeg|gif|webp|avif)$/.test(part.mimeType)) {
    return <img src={address} alt="Sent with this message" className="max-h-80 max-w-full rounded-lg object-contain" />;
  }
  return (
    <a href={address} download="attachment" className="flex items-center gap-2 underline">
      <Icon name="file" />
      {part.mimeType}, {formatBytes(bytesOf(part.data))}
    </a>
  );
}

function bytesOf(base64: string): number {
  return Math.floor(base64.replace(/=+$/, '').length * 0.75);
}
