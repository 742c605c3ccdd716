import { withoutParameters } from '../../contract/file-name.ts';
import type { DataPart } from '../../sdk/index.ts';

/** Whether browsers show the file as a picture. SVG is excluded, because it can contain scripts. */
export function isPicture({ mimeType }: Pick<DataPart, 'mimeType'>): boolean {
  return /^image\/(png|jpeg|gif|webp|avif)$/.test(withoutParameters(mimeType));
}

/** The content of an inline file as an address. The name stays out: its spaces are not allowed there. */
export function dataAddress({ mimeType, data }: Pick<DataPart, 'mimeType' | 'data'>): string {
  return `data:${withoutParameters(mimeType)};base64,${data}`;
}
