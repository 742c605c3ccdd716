import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../context.ts';
import { type WorkflowConfig, workflowConfig } from './config.ts';
import { unknownVersion } from './deployments.ts';
import { findWorkflow } from './reads.ts';

/** One changed value. */
export interface ConfigChange {
  /** Like `clientTools[0].name`. */
  readonly path: string;
  /** Null if the value was added. */
  readonly before: unknown;
  /** Null if the value was removed. */
  readonly after: unknown;
}

/** Two versions of one workflow. Null means the draft. */
export interface VersionPair {
  readonly from?: number | null | undefined;
  readonly to?: number | null | undefined;
}

/** The differences between two versions. @throws {ServiceError} not_found */
export async function workflowVersionDiff(
  ctx: Context,
  workflowId: number,
  { from, to }: VersionPair,
): Promise<ConfigChange[]> {
  const { draft } = await findWorkflow(ctx, workflowId, { select: { draft: true } });
  const configOf = async (param: 'from' | 'to', number: number | null | undefined): Promise<WorkflowConfig> => {
    if (number == null) return workflowConfig.parse(draft);
    const version = await ctx.db.workflowVersion.findUnique({ where: { workflowId_number: { workflowId, number } } });
    if (!version) throw unknownVersion(param);
    return workflowConfig.parse(version.config);
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

/** `.name`, or `["a name"]` if the key is not an identifier. */
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
