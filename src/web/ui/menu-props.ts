import type { ReactNode } from 'react';
import type { IconName } from './icon.tsx';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  /** Shown at the end of the line, like a keyboard shortcut. */
  readonly note?: string;
  /** Whether the item is on. All items of their group have it, and exclude each other unless the group is multiple. */
  readonly checked?: boolean;
  /** Distinguishes items with the same label. */
  readonly value?: string;
  readonly onSelect: () => void;
}

export interface MenuGroup {
  readonly title?: string;
  readonly items: readonly MenuItem[];
  /** Each item is turned on and off alone, and the menu stays open. */
  readonly isMultiple?: boolean;
}

export interface MenuProps {
  /** The content of the button, which is also its accessible name. */
  readonly trigger: ReactNode;
  /** The classes of the button. */
  readonly className: string;
  /** Shown above the items. */
  readonly heading?: ReactNode;
  /** Items with lines between the groups. */
  readonly groups: readonly MenuGroup[];
  /** Finds what has the focus after an item was chosen. By default it is the button. */
  readonly focusAfter?: () => HTMLElement | null;
}
