import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Badge } from '../../../ui/notice.tsx';
import { Section } from '../../shell/page-frame.tsx';
import { useEditing } from './context.ts';
import { isNew } from './form.ts';

interface Named {
  readonly key: string;
  readonly name: string;
}

interface Props<Item extends Named> {
  readonly title: string;
  readonly lead: ReactNode;
  /** What one of them is called. */
  readonly noun: string;
  /** Where the list stands in the draft. */
  readonly path: string;
  readonly items: readonly Item[];
  readonly onChange: (items: readonly Item[]) => void;
  readonly make: () => Item;
  readonly children: (item: Item, change: (fields: Partial<Item>) => void, path: string) => ReactNode;
}

/** Things of one kind that a draft holds: each opens to its fields. */
export function ItemList<Item extends Named>(props: Props<Item>) {
  const { title, lead, noun, path, items, onChange, make, children } = props;
  const { errorAt } = useEditing();
  const error = errorAt(path);
  return (
    <Section
      title={title}
      actions={
        <Button small onClick={() => onChange([...items, make()])}>
          <Icon name="plus" className="size-4" /> Add {noun}
        </Button>
      }
    >
      <p className="text-sm text-muted">{lead}</p>
      {error && <p className="mt-2 text-sm text-danger">{error}</p>}
      {items.length > 0 && (
        <ul className="mt-4 flex flex-col gap-3">
          {items.map((item, index) => (
            <ItemCard
              key={item.key}
              item={item}
              path={`${path}[${index}]`}
              noun={noun}
              onRemove={() => onChange(items.filter((_, place) => place !== index))}
            >
              {children(
                item,
                (fields) => onChange(items.map((one, place) => (place === index ? { ...one, ...fields } : one))),
                `${path}[${index}]`,
              )}
            </ItemCard>
          ))}
        </ul>
      )}
    </Section>
  );
}

interface CardProps {
  readonly item: Named;
  readonly path: string;
  readonly noun: string;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

function ItemCard({ item, path, noun, onRemove, children }: CardProps) {
  const [isOpen, setOpen] = useState(isNew(item));
  const { isFaulty } = useEditing();
  const isWrong = isFaulty(path);
  return (
    <li>
      <details
        open={isOpen || isWrong}
        onToggle={(event) => setOpen(event.currentTarget.open)}
        className="group rounded-lg border border-line"
      >
        <summary className="flex cursor-pointer list-none items-center gap-2 rounded-lg px-3 py-2 hover:bg-sunken">
          <Icon name="chevron" className="size-4 group-open:rotate-90" />
          <span className={`min-w-0 break-words ${item.name ? 'font-mono text-sm' : 'text-muted'}`}>
            {item.name || `New ${noun}`}
          </span>
          {isWrong && <Badge tone="danger">To be mended</Badge>}
        </summary>
        <div className="flex flex-col gap-4 border-t border-line p-4">
          {children}
          <Button look="danger" small className="self-start" onClick={onRemove}>
            Remove {noun}
            <span className="sr-only"> {item.name}</span>
          </Button>
        </div>
      </details>
    </li>
  );
}
