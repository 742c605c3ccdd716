import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../context.ts';
import { type WorkflowConfig, workflowConfig } from './config.ts';
import { unknownVersion } from './deployment-changes.ts';
import { findWorkflow } from './reads.ts';

/** One value that is other than before. */
export interface ConfigChange {
  /** Where it stands: `clientTools[0].name`. */
  readonly path: string;
  /** Null where there was nothing. */
  readonly before: unknown;
  /** Null where there is nothing any more. */
  readonly after: unknown;
}

/** Two versions of one workflow; null is its draft. */
export interface VersionPair {
  readonly from?: number | null | undefined;
  readonly to?: number | null | undefined;
}

/** What leads from one version to another. @throws {ServiceError} not_found */
export async function workflowVersionDiff(
  ctx: Context,
  workflowId: number,
  { from, to }: VersionPair,
): Promise<ConfigChange[]> {
  const { draft } = await findWorkflow(ctx, workflowId, { select: { draft: true } });
  const configOf = async (param: 'from' | 'to', number: number | null | undefined): Promise<WorkflowConfig> => {
    if (number == null) return workflowConfig.parse(draft);
    const found = await ctx.db.workflowVersion.findUnique({ where: { workflowId_number: { workflowId, number } } });
    if (!found) throw unknownVersion(param);
    return workflowConfig.parse(found.config);
  };
  return changesBetween('', await configOf('from', from), await configOf('to', to));
}

function changesBetween(path: string, before: unknown, after: unknown): ConfigChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path, before: before ?? null, after: after ?? null }];
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const stepTo = Array.isArray(before) ? (key: string) => `[${key}]` : (key: string) => memberStep(path, key);
  return [...keys].flatMap((key) => changesBetween(`${path}${stepTo(key)}`, own(before, key), own(after, key)));
}

/** `.name`, or `["a name"]` where the dot would not do. */
function memberStep(path: string, key: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `[${JSON.stringify(key)}]`;
  return path === '' ? key : `.${key}`;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function own(container: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(container, key) ? container[key] : undefined;
}
