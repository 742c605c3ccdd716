import type { Kind } from '../kind.ts';
import { BODIES } from './bodies.ts';
import { CREDENTIALS } from './credentials.ts';
import { FILES } from './files.ts';
import { GRAPHQL } from './graphql.ts';
import { HTTP } from './http.ts';
import { TURNS } from './turns.ts';

/** Every kind, in the order of the guide. */
export const KINDS: readonly Kind[] = [...HTTP, ...BODIES, ...CREDENTIALS, ...GRAPHQL, ...TURNS, ...FILES];
