import { CONTENT_PART_TYPES } from '../../contract/content.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatBytes } from '../../contract/quantities.ts';
import {
  CALL_KINDS,
  CALL_STATUSES,
  CONTEXT_POLICIES,
  CONVERSATION_STATUSES,
  DELIVERY_STATUSES,
  DEPLOYMENT_KINDS,
  DOUBLE_TEXT_POLICIES,
  FINISH_REASONS,
  HISTORY_INCLUDES,
  HISTORY_ITEM_TYPES,
  INTEGRATION_KINDS,
  MESSAGE_ROLES,
  RATING_GROUPS,
  RATING_VALUES,
  READER_GONE_POLICIES,
  REASONING_EFFORTS,
  REASONING_MODES,
  RECOVERY_MODES,
  RUN_STATUSES,
  START_CHALLENGES,
  TIMELINE_BRANCHES,
  TOOL_AVAILABILITIES,
  TURN_OUTCOMES,
  USAGE_GROUPS,
  WEBHOOK_DISABLED_REASONS,
} from '../../contract/statuses.ts';
import { DISABLE_AFTER_DAYS } from '../../domain/webhooks/pace.ts';
import { enumType } from './enum-type.ts';

export const ConversationStatusEnum = enumType('ConversationStatus', CONVERSATION_STATUSES, {
  description: 'Whether a conversation accepts turns.',
  values: {
    active: 'It accepts turns.',
    completed: 'It has ended permanently. The service rejects further turns.',
  },
});

export const RunStatusEnum = enumType('RunStatus', RUN_STATUSES, {
  description: 'The status of a turn. COMPLETED, INTERRUPTED, FAILED and EXPIRED are final.',
  values: {
    running: 'The model or a server tool is running.',
    waiting_for_client_action: 'It waits for tool results from the client: see `pendingActions`.',
    completed: 'It ended with a reply.',
    interrupted: 'It was stopped, or it failed after tool results were accepted. The next turn uses these results.',
    failed: 'The model failed, a time limit expired or the process died, before any tool result was accepted.',
    expired: 'A legacy run: its client sent no results in time.',
  },
});

export const FinishReasonEnum = enumType('FinishReason', FINISH_REASONS, {
  description: 'Why a reply ended.',
  values: {
    stop: 'The model finished.',
    length: `The model reached its token limit, or the reply ${formatBytes(LIMITS.replyBytes)}. The reply is cut off.`,
    content_filter: "The provider's content filter cut the reply off.",
    max_steps: 'The round used all its steps, so the model replied without tools.',
    stopped: 'The turn was stopped before the model finished.',
    budget: 'The next step could have cost more than a budget has left.',
  },
});

export const MessageRoleEnum = enumType('MessageRole', MESSAGE_ROLES, {
  description: 'Who wrote a message.',
  values: {
    user: 'The person who uses the assistant.',
    assistant: 'The model.',
  },
});

export const RatingValueEnum = enumType('RatingValue', RATING_VALUES, {
  description: 'What a user thinks of a reply.',
  values: { up: 'The reply helped.', down: 'The reply did not help.' },
});

export const CallStatusEnum = enumType('CallStatus', CALL_STATUSES, {
  description: 'The status of a tool call.',
  values: {
    pending: "It waits for the client's result.",
    running: 'The server is running it.',
    completed: 'It has a result.',
    failed: 'It ended with an error. The model receives the error.',
    not_completed: 'A request to complete the conversation that did not fulfill the conditions.',
    cancelled: 'Its run ended before the result arrived.',
  },
});

const CALLS = {
  tool: 'A built-in tool, which the server runs.',
  action: 'An action of the workflow, which the server runs.',
  client_tool: 'A tool that the client runs.',
} as const;

export const CallTypeEnum = enumType('CallType', CALL_KINDS, {
  description: 'The type of a tool call.',
  values: CALLS,
});

export const HistoryItemTypeEnum = enumType('HistoryItemType', HISTORY_ITEM_TYPES, {
  description: "The type of an item of a conversation's timeline.",
  values: {
    message: 'A message of the user or the assistant.',
    ...CALLS,
    conversation_completed: 'The assistant completed the conversation permanently.',
    summary: 'A summary of earlier items, which the model receives in place of them.',
    handling: 'A change of who answers the user: the assistant, nobody, or a person.',
  },
});

export const HistoryIncludeEnum = enumType('HistoryInclude', HISTORY_INCLUDES, {
  description: 'Items of a timeline that are only returned on request.',
  values: {
    summaries: 'Summaries of earlier items.',
    handling: 'Changes of who answers the user: the assistant, nobody, or a person.',
  },
});

export const TimelineBranchEnum = enumType('TimelineBranch', TIMELINE_BRANCHES, {
  description: 'The lines of a conversation that a list has.',
  values: {
    active: 'Only the active line.',
    all: 'Also the items that an edit, a turn that ran again or another variant replaced.',
  },
});

export const ContentPartTypeEnum = enumType('ContentPartType', CONTENT_PART_TYPES, {
  description: 'The type of a content part. IMAGE, VIDEO and AUDIO are URL with a media type hint.',
  values: {
    text: 'Text, in `text`.',
    url: 'A file by URL, of any media type.',
    image: 'An image by URL.',
    video: 'A video by URL.',
    audio: 'An audio file by URL.',
    data: 'An inline file, in base64.',
  },
});

export const DeploymentKindEnum = enumType('DeploymentKind', DEPLOYMENT_KINDS, {
  description: 'The hosted page of a deployment.',
  values: {
    chat: 'The hosted chat page, for ordinary conversations.',
    agent: 'The hosted agent page, for conversations with client tools.',
  },
});

enumType('DoubleTextPolicy', DOUBLE_TEXT_POLICIES, {
  description: 'What happens to a message that arrives while a turn of its conversation is running.',
  values: {
    reject: 'The service rejects it with error run_in_progress.',
    enqueue: `It waits for its turn. At most ${LIMITS.queuedTurns} messages wait per conversation.`,
    interrupt: 'It stops the running turn and starts the next one. The partial reply is stored.',
  },
});

enumType('ReaderGonePolicy', READER_GONE_POLICIES, {
  description: 'What happens to a streamed v1 reply whose reader disconnects.',
  values: {
    stop: 'The turn stops. The partial reply is stored.',
    continue: 'The turn continues. `turnEvents` and the history have the rest of the reply.',
  },
});

enumType('StartChallenge', START_CHALLENGES, {
  description: 'What a caller without credentials solves before it starts a conversation or a one-shot run.',
  values: {
    off: 'Nothing.',
    proof_of_work: 'A proof of work. Hosted pages and the SDK solve it.',
    provider: 'A challenge of the provider of the service, such as a CAPTCHA.',
  },
});

export const ToolAvailabilityEnum = enumType('ToolAvailability', TOOL_AVAILABILITIES, {
  description: 'When the model can call a client tool.',
  values: {
    when_connected: 'Only if the request lists it in `clientCapabilities`.',
    always: 'In every turn, even if no client advertises it.',
  },
});

enumType('ReasoningMode', REASONING_MODES, {
  description: 'Whether clients get the reasoning of the model.',
  values: {
    off: 'Clients get only the text of the reply.',
    shown: 'The feed of a turn has the reasoning, if the provider sends it. It can repeat the instructions.',
  },
});

enumType('ReasoningEffort', REASONING_EFFORTS, {
  description: 'How long the model thinks before it replies.',
  values: {
    low: 'A short time.',
    medium: 'A longer time.',
    high: 'As long as needed.',
  },
});

enumType('ContextPolicy', CONTEXT_POLICIES, {
  description: 'What the model receives of a conversation.',
  values: {
    window: 'The latest message pairs, as many as the history limit says.',
    compact: 'Everything. When that becomes too long, a summary and everything after it.',
  },
});

enumType('RecoveryMode', RECOVERY_MODES, {
  description: 'What happens to a turn whose process dies.',
  values: {
    settle: 'The run ends as failed, or as interrupted if tool results were accepted. The user sends the next message.',
    continue: 'Another process continues the run after its last stored step.',
  },
});

export const TurnOutcomeEnum = enumType('TurnOutcome', TURN_OUTCOMES, {
  description: 'How a turn or one-shot run ended, or that it paused for its client.',
  values: {
    completed: 'It ended with a reply.',
    waiting_for_client_action: 'It paused for its client. The resumed turn has its own entry.',
    interrupted: 'It was stopped, or it failed after tool results were accepted.',
    failed: 'The model failed, a time limit expired or the process died.',
  },
});

export const UsageGroupEnum = enumType('UsageGroup', USAGE_GROUPS, {
  description: 'A dimension that usage can be grouped by.',
  values: {
    day: 'The day of the log entry, in UTC.',
    deployment: 'The deployment that ran the turn.',
    version: 'The workflow that ran, with its version.',
    model: 'The model that replied.',
    end_user: 'The end user of the conversation.',
  },
});

export const RatingGroupEnum = enumType('RatingGroup', RATING_GROUPS, {
  description: 'A dimension that ratings can be grouped by.',
  values: {
    day: 'The day of the rating, in UTC.',
    deployment: 'The deployment of the conversation.',
    version: 'The version of the workflow that wrote the reply.',
  },
});

export const DeliveryStatusEnum = enumType('WebhookDeliveryStatus', DELIVERY_STATUSES, {
  description: 'The status of a message to a webhook endpoint.',
  values: {
    pending: 'An attempt is in progress, or the message waits for its next attempt.',
    delivered: 'An attempt got a 2xx response.',
    failed: 'The last attempt failed. `replayWebhookDelivery` sends it again.',
  },
});

export const WebhookDisabledReasonEnum = enumType('WebhookDisabledReason', WEBHOOK_DISABLED_REASONS, {
  description: 'Why a webhook endpoint is disabled.',
  values: {
    requested: 'A member or an API key disabled it.',
    failing: `The service disabled it, because all attempts failed for ${DISABLE_AFTER_DAYS} days.`,
    gone: 'The service disabled it, because it responded with 410 (Gone).',
  },
});

export const IntegrationKindEnum = enumType('IntegrationKind', INTEGRATION_KINDS, {
  description: 'The type of an external system.',
  values: {
    mcp: 'A Model Context Protocol server, over streamable HTTP.',
    http: 'An HTTP API, for actions.',
  },
});
