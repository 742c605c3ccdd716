import { Combobox } from '@base-ui/react/combobox';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Select } from '@base-ui/react/select';
import { Icon } from './icon.tsx';
import type { Option, PopupProps } from './select-props.ts';

const TRIGGER = 'flex cursor-default items-center justify-between gap-2 text-start data-popup-open:border-accent';
const LIST = 'max-h-[min(22rem,var(--available-height))] overflow-y-auto overscroll-contain p-1';
const POPUP = 'popup min-w-(--anchor-width) max-w-[min(32rem,var(--available-width))]';

/** A list of options. */
export function SelectPopup({ options, value, onValue, id, labelId, className, ref, onBlur, ...rest }: PopupProps) {
  const { disabled = false, required = false, name, ...described } = rest;
  return (
    <Select.Root
      items={[...options]}
      value={value}
      onValueChange={(next) => onValue(next ?? '')}
      {...{ disabled, required }}
      {...(name && { name })}
    >
      <Select.Trigger
        {...{ id, ref, onBlur }}
        {...described}
        aria-labelledby={labelId}
        className={`${className} ${TRIGGER}`}
      >
        <Select.Value className="min-w-0 truncate" />
        <Icon name="updown" className="size-4 text-muted" />
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner className="z-40 outline-hidden" sideOffset={4} alignItemWithTrigger={false}>
          {/* The content security policy forbids the style element of the popup, which only hides a scroll bar. */}
          <CSPProvider disableStyleElements>
            <Select.Popup className={POPUP}>
              <Select.List aria-labelledby={labelId} className={LIST}>
                {options.map((option) => (
                  <Select.Item key={option.value} value={option.value} data-value={option.value} className="popup-item">
                    <Mark shown={option.value === value} />
                    <Select.ItemText className="min-w-0">{option.label}</Select.ItemText>
                  </Select.Item>
                ))}
              </Select.List>
            </Select.Popup>
          </CSPProvider>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

/** A long list of options, with a search field. */
export function SearchPopup({ options, value, onValue, id, labelId, className, ref, onBlur, ...rest }: PopupProps) {
  const { disabled = false, required = false, name, ...described } = rest;
  const selected = options.find((option) => option.value === value) ?? null;
  return (
    <Combobox.Root
      items={[...options]}
      value={selected}
      onValueChange={(next: Option | null) => onValue(next?.value ?? '')}
      isItemEqualToValue={(item, other) => item?.value === other?.value}
      autoHighlight
      {...{ disabled, required }}
      {...(name && { name })}
    >
      <Combobox.Trigger
        {...{ id, ref, onBlur }}
        {...described}
        aria-labelledby={labelId}
        className={`${className} ${TRIGGER}`}
      >
        <span className="min-w-0 truncate">{selected?.label}</span>
        <Icon name="updown" className="size-4 text-muted" />
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner className="z-40 outline-hidden" align="start" sideOffset={4}>
          <Combobox.Popup aria-labelledby={labelId} className={POPUP}>
            <Combobox.Input
              aria-label="Search the options"
              placeholder="Search"
              className="w-full rounded-t-lg border-b border-line bg-transparent px-3.5 py-2.5 outline-hidden placeholder:text-muted"
            />
            <Combobox.Empty>
              <p className="p-3 text-sm text-muted">No options match.</p>
            </Combobox.Empty>
            <Combobox.List aria-labelledby={labelId} className={`${LIST} empty:p-0`}>
              {(option: Option) => (
                <Combobox.Item key={option.value} value={option} data-value={option.value} className="popup-item">
                  <Mark shown={option.value === value} />
                  <span className="min-w-0">{option.label}</span>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

function Mark({ shown }: { readonly shown: boolean }) {
  return <Icon name="check" className={`size-4 text-accent ${shown ? '' : 'invisible'}`} />;
}
