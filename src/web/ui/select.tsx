import { Children, Fragment, isValidElement, type ReactNode, useState } from 'react';
import { Icon } from './icon.tsx';
import { enhancement } from './load.ts';
import type { Option, PopupProps } from './select-props.ts';

/** From this number of options on, the popup has a search field. */
const SEARCH_FROM = 10;

const popups = enhancement(() => import('./select-popup.tsx'));

/**
 * The browser's own select until the script of the popups is there. It stays while it has the focus, because replacing
 * it would close its list.
 */
export function Select(props: PopupProps) {
  const module = popups.useModule();
  const [isFocused, setFocused] = useState(false);
  const Popup = props.options.length < SEARCH_FROM ? module?.SelectPopup : module?.SearchPopup;
  if (Popup && !isFocused) return <Popup {...props} />;
  const { options, onValue, onBlur, labelId: _, ref, className, ...rest } = props;
  return (
    <span className="relative block min-w-0 flex-1">
      <select
        {...rest}
        ref={ref}
        className={`${className} appearance-none pe-9`}
        onChange={(event) => onValue(event.target.value)}
        onFocus={() => setFocused(true)}
        onBlur={() => {
          setFocused(false);
          onBlur?.();
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="updown" className="pointer-events-none absolute top-1/2 end-2.5 size-4 -translate-y-1/2 text-muted" />
    </span>
  );
}

/** The options of `<option>` elements. */
export function optionsOf(children: ReactNode): Option[] {
  return Children.toArray(children).flatMap((child) => {
    if (!isValidElement<{ readonly value?: string | number; readonly children?: ReactNode }>(child)) return [];
    if (child.type === Fragment) return optionsOf(child.props.children);
    const label = textOf(child.props.children);
    return [{ value: String(child.props.value ?? label), label }];
  });
}

const textOf = (node: ReactNode): string =>
  Children.toArray(node)
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join('');
