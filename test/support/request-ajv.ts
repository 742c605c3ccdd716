import { Ajv2020 } from 'ajv/dist/2020.js';
import { DOCUMENT } from './openapi.ts';

/**
 * Validates requests with the document. Its formats are those that the document describes: they are wider than those of
 * responses, which have one form only.
 */
export const REQUEST_AJV = new Ajv2020({ allowUnionTypes: true, strict: false });

REQUEST_AJV.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
REQUEST_AJV.addFormat('uri', URL.canParse);
REQUEST_AJV.addFormat('byte', (text) => text.length % 4 === 0);
REQUEST_AJV.addFormat('date-time', isDateTime);
REQUEST_AJV.addFormat('date', (text) => isDateTime(`${text}T00:00:00Z`));
// The bounds of an integer are in the schema.
REQUEST_AJV.addFormat('int64', true);
REQUEST_AJV.addSchema(DOCUMENT, 'openapi.json');

/** RFC 3339, with a date that exists. */
function isDateTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text));
}
