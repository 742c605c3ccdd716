import {
  DEMO_MODEL,
  isModelName,
  MODEL_PROVIDERS,
  type ModelProvider,
  providerModelOf,
} from '../../contract/model-name.ts';
import type { Context } from '../context.ts';

/** Newest rows of each table that are searched for models. */
const SEARCHED_ROWS = 500;

/** Names that a list of models shows. */
const MOST_NAMES = 200;

/** A provider, and its models that the workspace knows. */
export interface KnownProvider {
  readonly provider: ModelProvider;
  /** Whether the operator has configured it, so that its models can run. */
  readonly isConfigured: boolean;
  /** Full names, in alphabetical order. */
  readonly models: readonly string[];
}

/** The models that a workflow can use. */
export interface KnownModels {
  /** The model of workflows without one. */
  readonly defaultModel: string;
  readonly providers: readonly KnownProvider[];
}

/**
 * The providers with the models that prices, drafts, versions and the latest turns name. A provider accepts any other
 * name too.
 */
export async function knownModels(ctx: Context): Promise<KnownModels> {
  const { workspaceId, id } = ctx.environment;
  const {
    settings: { defaultModel },
    ports: { model },
  } = ctx.services;
  const rows = await ctx.sql.rows<{ model: string }>`
    SELECT DISTINCT model FROM (
      (SELECT model FROM model_price WHERE workspace_id = ${workspaceId}::uuid ORDER BY model LIMIT ${SEARCHED_ROWS})
      UNION ALL
      (SELECT draft->>'model' FROM workflow WHERE workspace_id = ${workspaceId}::uuid
       ORDER BY id DESC LIMIT ${SEARCHED_ROWS})
      UNION ALL
      (SELECT v.config->>'model' FROM deployment d
       JOIN workflow_version v ON v.workflow_id = d.workflow_id AND v.number = d.published_version
       WHERE d.workspace_id = ${workspaceId}::uuid ORDER BY d.created_at DESC, d.id DESC LIMIT ${SEARCHED_ROWS})
      UNION ALL
      (SELECT model FROM workflow_log WHERE environment_id = ${id}::uuid
       ORDER BY created_at DESC, id DESC LIMIT ${SEARCHED_ROWS})
    ) AS known WHERE model IS NOT NULL ORDER BY model`;
  const names = [...new Set([defaultModel, ...rows.map((row) => row.model)])]
    .filter((name) => name !== DEMO_MODEL && isModelName(name))
    .sort();
  const providers = MODEL_PROVIDERS.map((provider) => ({
    provider,
    isConfigured: model.isConfigured(provider),
    models: names.filter((name) => providerModelOf(name)?.provider === provider).slice(0, MOST_NAMES),
  }));
  return { defaultModel, providers };
}
