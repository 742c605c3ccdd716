import { type ReactNode, useEffect, useId, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useFilter } from '../location.ts';

interface FiltersProps {
  readonly label?: string;
  /** A field that stays visible on small screens. */
  readonly lead?: ReactNode;
  /** Filters that are rarely needed. They are folded away on every screen. */
  readonly more?: ReactNode;
  /** The query parameters of `more`. While one of them is set, its fields are visible. */
  readonly moreNames?: readonly string[];
  readonly children: ReactNode;
}

const GRID = 'items-start gap-4 sm:grid-cols-2 lg:grid-cols-4';

/** The filters above a list. On small screens they are folded away. */
export function Filters({ label = 'Filters', lead, more, moreNames = [], children }: FiltersProps) {
  const id = useId();
  const [params] = useSearchParams();
  const count = useSetCount();
  const [isOpen, setOpen] = useState(false);
  const [isMoreOpen, setMoreOpen] = useState(() => moreNames.some((name) => params.has(name)));
  return (
    <search aria-label={label} className="flex flex-col gap-4">
      {lead}
      <div className="sm:hidden">
        <Fold controls={id} isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
          {count > 0 ? `Filters (${count})` : 'Filters'}
        </Fold>
      </div>
      <div id={id} className={`${isOpen ? 'flex' : 'hidden'} flex-col gap-4 sm:flex`}>
        <div className={`grid ${GRID}`}>{children}</div>
        {more && (
          <div>
            <Fold controls={`${id}-more`} isOpen={isMoreOpen} onToggle={() => setMoreOpen(!isMoreOpen)}>
              More filters
            </Fold>
          </div>
        )}
        {more && (
          <div id={`${id}-more`} className={`${isMoreOpen ? 'grid' : 'hidden'} ${GRID}`}>
            {more}
          </div>
        )}
      </div>
    </search>
  );
}

interface FoldProps {
  readonly controls: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

/** A button that shows and hides a group of filters. */
function Fold({ controls, isOpen, onToggle, children }: FoldProps) {
  return (
    <Button small aria-expanded={isOpen} aria-controls={controls} onClick={onToggle}>
      <Icon name="chevron" className={`size-4 transition ${isOpen ? 'rotate-90' : ''}`} />
      {children}
    </Button>
  );
}

/** Query parameters that are not filters: the environment, the order, the tab, and positions in lists. */
const NOT_A_FILTER = /^(env|order|tab|(.+-)?(after|before))$/;

function useSetCount(): number {
  const [params] = useSearchParams();
  return [...params.keys()].filter((name) => !NOT_A_FILTER.test(name)).length;
}

/** The URL changes after the user stops typing for this long. */
const DEBOUNCE_MS = 300;

interface TextProps {
  /** The query parameter in the URL. */
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly type?: 'search' | 'date';
  readonly hint?: string;
  readonly inputMode?: 'decimal' | 'numeric';
  /** Why the value is invalid. */
  readonly error?: string | undefined;
}

/** A text filter. */
export function TextFilter({ name, ...rest }: TextProps) {
  const [value, set] = useFilter(name);
  // The text while the user types, before it reaches the URL.
  const [typed, setTyped] = useState<string>();
  useEffect(() => {
    if (typed === undefined) return;
    const timer = setTimeout(() => {
      set(typed.trim());
      setTyped(undefined);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <TextField
      type="search"
      {...rest}
      autoComplete="off"
      spellCheck={false}
      value={typed ?? value}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}

interface SelectProps {
  readonly label: string;
  /** The query parameter in the URL. */
  readonly name: string;
  /** Pairs of value and label. The value of the first one is '', which is the default. */
  readonly options: readonly (readonly [string, string])[];
  readonly className?: string;
}

/** A filter with a list of options. */
export function FilterSelect({ label, name, options, className = '' }: SelectProps) {
  const [value, set] = useFilter(name);
  return (
    <SelectField {...{ label, value, className }} onChange={(event) => set(event.target.value)}>
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </SelectField>
  );
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID, as most IDs of the service are. */
export const isUuid = (text: string): boolean => UUID.test(text);
