import type { ReactNode } from 'react';

/** It takes the same options and events as `<select>`. */
export interface SelectProps {
  readonly value?: string | number | undefined;
  readonly onChange?: ((event: { readonly target: { readonly value: string } }) => void) | undefined;
  /** `<option>` elements. */
  readonly children: ReactNode;
  readonly name?: string;
  readonly required?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  readonly onBlur?: (() => void) | undefined;
  readonly ref?: ((element: HTMLElement | null) => void) | undefined;
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** What the two popups and the browser's own select have in common. */
export interface PopupProps extends Omit<SelectProps, 'children' | 'value' | 'onChange'> {
  readonly id: string;
  readonly labelId: string;
  readonly className: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly options: readonly Option[];
  readonly 'aria-describedby'?: string | undefined;
  readonly 'aria-invalid'?: true | undefined;
}
