import type { IconName } from '../../../ui/icon.tsx';
import type { PageEntry } from '../pages.ts';

/** A line of the palette: it goes to a page or does something. */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  /** Shown after the label: the kind of a record, or keys. */
  readonly note?: string;
  /** The page and query parameters that it opens. */
  readonly to?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly run?: () => void;
}

export interface CommandGroup {
  readonly value: string;
  readonly items: readonly Command[];
}

/** The group of records that the service found by their ID. The palette never filters it. */
export const FOUND = 'Found by ID';

/** The pages of the navigation. */
export const pageCommands = (pages: readonly PageEntry[]): Command[] =>
  pages.flatMap(({ label, icon = 'file', key, path }) =>
    label ? [{ id: `page ${path}`, label, icon, to: path, ...(key && { note: `G ${key.toUpperCase()}` }) }] : [],
  );
