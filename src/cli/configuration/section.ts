import type { Api } from './api.ts';
import type { ConfigurationFile } from './file-schema.ts';
import type { CurrentItem, FileItem, SectionName, Step } from './item.ts';

export interface PlanOptions {
  /** Sends the header values of integrations even if nothing else changed: the API does not return them. */
  readonly sendSecrets: boolean;
}

export type Change = Pick<Step, 'run' | 'notes' | 'variables' | 'createsSecret'>;

/** A part of the file: how to read it from the API, and how to change it there. */
export interface Section {
  readonly name: SectionName;
  /** The word for one item. */
  readonly noun: string;
  /** Fields that the API cannot change, and what to do instead. */
  readonly fixed?: { readonly fields: readonly string[]; readonly hint: string };
  read(api: Api): Promise<CurrentItem[]>;
  items(file: ConfigurationFile): FileItem[];
  put(item: FileItem, current: CurrentItem | undefined): Change;
  /** Whether an item must be sent although nothing differs. */
  mustSend?(item: FileItem, options: PlanOptions): boolean;
  /** How `--prune` removes an item. Without it, the API cannot remove it. */
  readonly removal?: {
    /** What happens to the item, like `deleted`. */
    readonly verb: string;
    /** Why this item stays. */
    keeps?(current: CurrentItem, api: Api): string | undefined;
    run(api: Api, current: CurrentItem): Promise<unknown>;
  };
  /** The value in an exported file. Default: the value. */
  exported?(current: CurrentItem, api: Api): Promise<object>;
}
