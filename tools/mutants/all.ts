import { ACCESS } from './access.ts';
import { APPS_OF_MEMBERS } from './apps.ts';
import { BODIES } from './bodies.ts';
import { BRANCHES } from './branches.ts';
import { BUDGET_SETTINGS } from './budget-settings.ts';
import { BUDGET_STEPS } from './budget-steps.ts';
import { CLIENTS } from './clients.ts';
import { CONFIGURATION } from './configuration.ts';
import { CONVERSATIONS } from './conversations.ts';
import { DATABASE } from './database.ts';
import { DELETIONS } from './deletions.ts';
import { DELIVERIES } from './deliveries.ts';
import { DOCUMENTS } from './documents.ts';
import { APPS_OF_END_USERS } from './end-user-apps.ts';
import { ENGINE } from './engine.ts';
import { EVENT_LOG } from './event-log.ts';
import { FEEDS } from './feeds.ts';
import { FILE_CONTENT } from './file-content.ts';
import { FILE_SPACE } from './file-space.ts';
import { FILES } from './files.ts';
import { HANDLING } from './handling.ts';
import { INTEGRATION_SIGN_IN } from './integration-sign-in.ts';
import { LOGS } from './logs.ts';
import { MAIL } from './mail.ts';
import { MODEL_TESTS } from './model-tests.ts';
import { MODELS } from './models.ts';
import type { Mutant } from './mutant.ts';
import { ODD_MODELS } from './odd-models.ts';
import { RESULT_FILES } from './result-files.ts';
import { RUNS } from './runs.ts';
import { SIGN_ON } from './sign-on.ts';
import { SUMMARIES } from './summaries.ts';
import { TEAMWORK } from './teamwork.ts';
import { TRANSPORTS } from './transports.ts';
import { VISITORS } from './visitors.ts';

/** Every mutant, in the order of the report. */
export const MUTANTS: readonly Mutant[] = [
  ...ENGINE,
  ...RUNS,
  ...DELIVERIES,
  ...ACCESS,
  ...BODIES,
  ...CONVERSATIONS,
  ...SUMMARIES,
  ...BRANCHES,
  ...BUDGET_SETTINGS,
  ...BUDGET_STEPS,
  ...CLIENTS,
  ...APPS_OF_MEMBERS,
  ...APPS_OF_END_USERS,
  ...SIGN_ON,
  ...HANDLING,
  ...TEAMWORK,
  ...INTEGRATION_SIGN_IN,
  ...MAIL,
  ...TRANSPORTS,
  ...DOCUMENTS,
  ...FILES,
  ...FILE_SPACE,
  ...RESULT_FILES,
  ...FILE_CONTENT,
  ...MODELS,
  ...MODEL_TESTS,
  ...ODD_MODELS,
  ...DATABASE,
  ...LOGS,
  ...EVENT_LOG,
  ...FEEDS,
  ...CONFIGURATION,
  ...DELETIONS,
  ...VISITORS,
];
