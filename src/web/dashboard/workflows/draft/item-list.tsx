import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Badge } from '../../../ui/notice.tsx';
import { ListError } from '../../forms/pairs.tsx';
import { Section } from '../../frame/page-frame.tsx';
import { isInvalid, useDraftForm } from './draft-form.ts';

type ListName = 'clientTools' | 'httpActions' | 'mcpServers' | 'toolApprovals';

interface Props {
  readonly title: string;
  readonly lead: ReactNode;
  /** The singular, like "tool". */
  readonly noun: string;
  readonly name: ListName;
  /** The items' IDs in the form. */
  readonly fields: readonly { readonly id: string }[];
  readonly onAdd: () => void;
  /** Leaves out items that other controls show. Default: all items are shown. */
  readonly isShown?: (index: number) => boolean;
  readonly onRemove: (index: number) => void;
  /** What a closed item shows after its name. */
  readonly summary?: (index: number) => ReactNode;
  /** Renders the fields of an item. */
  readonly children: (index: number) => ReactNode;
}

/** A list of tools, actions or servers. Each item opens to show its fields. */
export function ItemList({ title, lead, noun, name, fields, ...props }: Props) {
  const { isShown = () => true, onAdd, onRemove, summary, children } = props;
  const { control } = useDraftForm();
  const shown = fields.flatMap(({ id }, index) => (isShown(index) ? [{ id, index }] : []));
  return (
    <Section
      title={title}
      actions={
        <Button small onClick={onAdd}>
          <Icon name="plus" className="size-4" /> Add {noun}
        </Button>
      }
    >
      <p className="text-sm text-muted">{lead}</p>
      <ListError control={control} name={name} />
      {shown.length > 0 && (
        <ul className="mt-4 flex flex-col gap-3">
          {shown.map(({ id, index }) => (
            <ItemCard key={id} {...{ name, index, noun }} summary={summary?.(index)} onRemove={() => onRemove(index)}>
              {children(index)}
            </ItemCard>
          ))}
        </ul>
      )}
    </Section>
  );
}

interface CardProps extends Pick<Props, 'name' | 'noun'> {
  readonly index: number;
  readonly onRemove: () => void;
  readonly summary: ReactNode;
  readonly children: ReactNode;
}

function ItemCard({ name, index, noun, onRemove, summary, children }: CardProps) {
  const form = useDraftForm();
  const title = form.values[name][index]?.name ?? '';
  // A new item has no name yet, so it starts open.
  const [isOpen, setOpen] = useState(title === '');
  const hasError = isInvalid(form, `${name}.${index}`);
  return (
    <li>
      <details
        open={isOpen || hasError}
        onToggle={(event) => setOpen(event.currentTarget.open)}
        className="group rounded-lg border border-line"
      >
        <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-3 py-2 hover:bg-sunken">
          <Icon name="chevron" className="size-4 group-open:rotate-90" />
          <span className={`min-w-0 break-words ${title ? 'font-mono text-sm' : 'text-muted'}`}>
            {title || `New ${noun}`}
          </span>
          {summary}
          {hasError && <Badge tone="danger">Invalid</Badge>}
        </summary>
        <div className="flex flex-col gap-4 border-t border-line p-4">
          {children}
          <Button look="danger" small className="self-start" onClick={onRemove}>
            Remove {noun}
            <span className="sr-only"> {title}</span>
          </Button>
        </div>
      </details>
    </li>
  );
}
