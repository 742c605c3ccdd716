import type { ReactNode } from 'react';
import type { IconName } from './icon.tsx';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  /** Shown at the end of the line, like a keyboard shortcut. */
  readonly note?: string;
  /** Marks one of several items that exclude each other. All items of their group have it. */
  readonly checked?: boolean;
  /** Distinguishes items with the same label. */
  readonly value?: string;
  readonly onSelect: () => void;
}

export interface MenuProps {
  /** The content of the button, which is also its accessible name. */
  readonly trigger: ReactNode;
  /** The classes of the button. */
  readonly className: string;
  /** Shown above the items. */
  readonly heading?: ReactNode;
  /** Items with lines between the groups. */
  readonly groups: readonly { readonly title?: string | undefined; readonly items: readonly MenuItem[] }[];
}
