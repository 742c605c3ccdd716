import { type ReactNode, useEffect, useId, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { FieldLook, SelectField, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useFilter, useSetFilters } from '../location.ts';

/** A filter that is rarely needed. */
export interface RareFilter {
  readonly label: string;
  /** Its query parameters. */
  readonly names: readonly string[];
  readonly field: ReactNode;
}

interface FiltersProps {
  readonly label?: string;
  /** A field that stays visible on small screens. */
  readonly lead?: ReactNode;
  /** Filters that are shown while they are set, or after the user has added them. */
  readonly rare?: readonly RareFilter[];
  readonly children: ReactNode;
}

/** The filters above a list: chips in one line. On small screens they are folded away. */
export function Filters({ label = 'Filters', lead, rare = [], children }: FiltersProps) {
  const id = useId();
  const count = useSetCount();
  const [isOpen, setOpen] = useState(false);
  return (
    <FieldLook value="chip">
      <search aria-label={label} className="flex flex-wrap items-start gap-2">
        {lead && <div className="flex min-w-0 grow-[2] basis-48 sm:basis-72">{lead}</div>}
        <Button className="sm:hidden" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          <Icon name="sliders" className="size-4" />
          {count > 0 ? `Filters (${count})` : 'Filters'}
        </Button>
        <div id={id} className={`${isOpen ? 'flex' : 'hidden'} w-full flex-wrap items-start gap-2 sm:contents`}>
          {children}
          <RareFilters filters={rare} />
        </div>
      </search>
    </FieldLook>
  );
}

/** The rare filters that are shown, and the menu that adds one. */
function RareFilters({ filters }: { readonly filters: readonly RareFilter[] }) {
  const [params] = useSearchParams();
  const set = useSetFilters();
  const [added, setAdded] = useState<readonly string[]>([]);
  const id = useId();
  if (filters.length === 0) return null;
  const isShown = ({ label, names }: RareFilter) => added.includes(label) || names.some((name) => params.has(name));
  const remove = ({ label, names }: RareFilter) => {
    setAdded(added.filter((one) => one !== label));
    set(Object.fromEntries(names.map((name) => [name, ''])));
    document.getElementById(id)?.querySelector('button')?.focus();
  };
  const hidden = filters.filter((filter) => !isShown(filter));
  return (
    <>
      {filters.filter(isShown).map((filter) => (
        <div key={filter.label} data-filter={filter.label} className="flex grow basis-56 items-start">
          {filter.field}
          <button
            type="button"
            aria-label={`Remove filter: ${filter.label}`}
            onClick={() => remove(filter)}
            className="flex min-h-10 cursor-pointer items-center px-1 text-muted hover:text-ink"
          >
            <Icon name="close" className="size-4" />
          </button>
        </div>
      ))}
      <span id={id}>
        {hidden.length > 0 && (
          <Menu
            trigger={
              <>
                <Icon name="plus" className="size-4" /> Add filter
              </>
            }
            className="inline-flex min-h-10.5 cursor-pointer items-center gap-1.5 rounded-lg border border-dashed border-edge px-3 text-sm hover:bg-sunken"
            groups={[{ items: hidden.map(({ label }) => ({ label, onSelect: () => setAdded([...added, label]) })) }]}
            focusAfter={() => fieldOf(added.at(-1))}
          />
        )}
      </span>
    </>
  );
}

/** The control of the filter that was added last. */
const fieldOf = (label = '') =>
  document.querySelector<HTMLElement>(`[data-filter="${CSS.escape(label)}"] :is(input, select, button)`);

/** Query parameters that are not filters: the environment, the order, the columns, the tab, the open row, and positions in lists. */
const NOT_A_FILTER = /^(env|order|tab|columns|open|(.+-)?(after|before))$/;

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
