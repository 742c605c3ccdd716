import { z } from 'zod';
import { isObject, type Schema } from '../json-schema/schema.ts';

/** An unvalidated JSON Schema. It is not a zod record, because that would drop a key `__proto__`. */
export const schemaInput = z.custom<Schema>(isObject, 'must be an object');

/** Any object. Like a schema, it is not a zod record. */
export const objectInput = z.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object');
