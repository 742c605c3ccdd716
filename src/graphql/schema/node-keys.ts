import { UUID_PATTERN } from '../../contract/ids.ts';

/** The nil UUID. No row has it. */
const NO_ROW = '00000000-0000-0000-0000-000000000000';

/** The key of the row with this ID. A text that is no UUID finds no row, because PostgreSQL would reject it. */
export function uuidKey(id: string): string {
  return UUID_PATTERN.test(id) ? id : NO_ROW;
}
