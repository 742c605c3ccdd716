"""A client of Parley's REST API for Python 3.9 or newer, without dependencies.

Generated from openapi.json by `npm run schema`. `client.py` next to it is an example.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Literal, Optional, Tuple, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class ParleyError(Exception):
    """An error of the service: its status, code, parameter and request ID."""

    def __init__(self, status: int, body: Dict[str, Any]) -> None:
        error = body.get("error", {})
        super().__init__(error.get("message", "The request failed."))
        self.status = status
        self.code: Optional[str] = error.get("code")
        self.param: Optional[str] = error.get("param")
        self.request_id: Optional[str] = body.get("request_id")


class ServerEvent(TypedDict):
    """A server-sent event. `data` is parsed JSON."""

    event: str
    data: Any
    id: Optional[str]


class Connection:
    """Sends requests and reads responses."""

    def __init__(self, base_url: str, api_key: Optional[str] = None, timeout: float = 60) -> None:
        self._base_url = base_url.rstrip("/")
        self._headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._timeout = timeout

    def items(self, operation: Callable[..., Any], **parameters: Any) -> Iterator[Any]:
        """Yields the items of a list with cursors, page by page: `client.items(client.list_events, type="run.failed")`."""
        while True:
            page = operation(**parameters)
            yield from page["data"]
            if page["meta"].get("nextCursor") is None:
                return
            parameters["cursor"] = page["meta"]["nextCursor"]

    def _json(self, *request: Any) -> Any:
        with self._open(*request) as response:
            text = response.read()
        return json.loads(text) if text else None

    def _lines(self, *request: Any) -> Iterator[Any]:
        with self._open(*request) as response:
            for line in response:
                yield json.loads(line)

    def _events(self, *request: Any) -> Iterator[ServerEvent]:
        with self._open(*request) as response:
            event = ServerEvent(event="message", data=None, id=None)
            lines: List[str] = []
            for raw in response:
                field, _, value = raw.decode().rstrip("\r\n").partition(":")
                value = value[1:] if value.startswith(" ") else value
                if field == "event":
                    event["event"] = value
                elif field == "id":
                    event["id"] = value
                elif field == "data":
                    lines.append(value)
                elif raw in (b"\n", b"\r\n"):
                    if lines:
                        event["data"] = json.loads("\n".join(lines))
                        yield event
                    event, lines = ServerEvent(event="message", data=None, id=event["id"]), []

    def _open(
        self,
        method: str,
        path: str,
        accept: str,
        query: Dict[str, Any],
        headers: Dict[str, Optional[str]],
        body: Any = None,
    ) -> Any:
        sent = [pair for name, value in query.items() for pair in _pairs(name, value)]
        url = self._base_url + path + ("?" + urllib.parse.urlencode(sent) if sent else "")
        head = {**self._headers, "accept": accept, **{name: value for name, value in headers.items() if value is not None}}
        data = None
        if body is not None:
            head["content-type"] = "application/json"
            data = json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, headers=head, method=method)
        try:
            return urllib.request.urlopen(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            raise ParleyError(error.code, _error_body(error.read())) from None


def _error_body(text: bytes) -> Dict[str, Any]:
    """A proxy in front of the service may send an error that is not JSON."""
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _pairs(name: str, value: Any) -> List[Tuple[str, str]]:
    """A list repeats its name, and a dictionary has the key in brackets: `meta[tier]=gold`."""
    if value is None:
        return []
    if isinstance(value, dict):
        return [pair for key, one in value.items() for pair in _pairs(f"{name}[{key}]", one)]
    if isinstance(value, (list, tuple)):
        return [pair for one in value for pair in _pairs(name, one)]
    return [(name, str(value).lower() if isinstance(value, bool) else str(value))]


def _path(value: object) -> str:
    return urllib.parse.quote(str(value), safe="")


# Who can approve a call.
Approver = Literal["client", "member", "either"]


# Who can answer a call of a client tool.
CallAnswerer = Literal["client", "member"]


# The status of a tool call.
CallStatus = Literal["pending", "running", "completed", "failed", "not_completed", "cancelled"]


# The type of a tool call.
CallType = Literal["tool", "action", "client_tool"]


# One part of a message: text, a file by URL, or an inline file.
ContentPart = Union["DataPart", "FilePart", "TextPart"]


# The type of a content part. image, video and audio are url with a media type hint.
ContentPartType = Literal["text", "url", "image", "video", "audio", "data"]


# A field that sorts the list.
ConversationOrderField = Literal["created_at", "updated_at", "message_count", "response_time_ms", "cost"]


# Whether a conversation accepts turns.
ConversationStatus = Literal["active", "completed"]


# The hosted page of a deployment.
DeploymentKind = Literal["chat", "agent"]


# One of the two environments of a workspace. Their data is separate.
EnvironmentKind = Literal["live", "test"]


# A stable error code: the `code` of an `Error`, and of the `extensions` of an entry in `errors`.
ErrorCode = Literal["invalid_request", "invalid_json", "invalid_cursor", "trigger_required", "trigger_conversation_mismatch", "missing_tool_results", "unknown_call_id", "invalid_tool_result", "idempotency_key_reused", "unauthorized", "second_factor_required", "forbidden", "session_required", "origin_not_allowed", "challenge_required", "not_found", "file_content_missing", "method_not_allowed", "not_acceptable", "payload_too_large", "unsupported_media_type", "client_action_required", "run_in_progress", "action_result_conflict", "conversation_completed", "run_expired", "action_expired", "trigger_already_used", "breaking_change", "request_in_progress", "trigger_expired", "precondition_failed", "rate_limited", "internal_error", "model_error", "unavailable", "model_timeout", "insufficient_storage"]


# Further events of the log, which a list or subscription has on request.
EventInclude = Literal["runs"]


# The type of an entry of the event log.
EventType = Literal["resource.created", "resource.updated", "resource.deleted", "integration.connected", "integration.disconnected", "run.started", "run.waiting", "run.completed", "run.failed", "run.interrupted", "conversation.completed", "trigger.used"]


# Why a reply ended.
FinishReason = Literal["stop", "length", "content_filter", "max_steps", "stopped"]


# An item of a conversation's timeline.
HistoryItem = Union["ActionCallOrToolCall", "ClientToolCall", "ConversationCompletion", "Message"]


# The type of an item of a conversation's timeline.
HistoryItemType = Literal["message", "tool", "action", "client_tool", "conversation_completed"]


# Who wrote a message.
MessageRole = Literal["user", "assistant"]


# The direction of a list.
OrderDirection = Literal["asc", "desc"]


# What a user thinks of a reply.
RatingValue = Literal["up", "down"]


# The role of a member. It determines the scopes of the member's sessions.
Role = Literal["owner", "admin", "developer", "viewer"]


# Why a turn failed.
RunFailureReason = Literal["provider_key_rejected", "provider_model_unknown", "provider_limited", "context_length_exceeded", "provider_refused", "provider_failed", "provider_unreachable", "provider_disconnected", "provider_unreadable", "provider_not_configured", "output_schema_mismatch", "model_error", "model_timeout", "service_stopped", "process_lost", "cancelled", "action_expired", "internal_error"]


# The status of a turn. completed, interrupted, failed and expired are final.
RunStatus = Literal["running", "waiting_for_client_action", "completed", "interrupted", "failed", "expired"]


# A permission, for example `resources:read`. A write scope does not include its read scope.
Scope = Literal["resources:read", "resources:write", "events:read", "conversations:read", "conversations:write", "traces:read", "triggers:read", "triggers:write", "workflows:read", "workflows:write", "documents:read", "documents:write", "webhooks:manage", "integrations:manage", "keys:manage", "end_users:manage"]


# A model step, or a call of a server tool, of a turn.
TraceSpan = Union["ModelStepSpan", "ToolCallSpan"]


class CompleteSignInInput(TypedDict):
    """The ticket, and one proof. No proof after an enrolment with the ticket."""

    # The ticket of a sign-in that needs a second factor.
    ticket: str
    # The 6 digits of an authenticator app. Each code works once.
    code: NotRequired[Optional[str]]
    # A recovery code. It works once.
    recovery_code: NotRequired[Optional[str]]
    # The response of the browser as JSON, at most 16000 characters.
    passkey: NotRequired[Any]
    # For pages of this service: true sends the session as a cookie that scripts cannot read, instead of the token.
    # Default: false.
    cookie: NotRequired[Optional[bool]]


class CompleteUploadInput(TypedDict):
    """An upload whose bytes have been sent."""

    # The deployment of the upload. Callers without credentials need it, or the conversation.
    deployment_id: NotRequired[Optional[str]]
    # The conversation of the upload.
    conversation_id: NotRequired[Optional[str]]


class DataPart(TypedDict):
    """An inline file."""

    # The type of the part.
    type: ContentPartType
    # The MIME type from the sender, for example image/png.
    mime_type: str
    # Base64 of at most 8 MiB of data.
    data: str


class FilePart(TypedDict):
    """A file by URL, or an uploaded file."""

    # The type of the part.
    type: ContentPartType
    # The MIME type from the sender, for example application/pdf.
    mime_type: str
    # An absolute http or https URL, or the parley: URI of an uploaded file.
    file_uri: str


class TextPart(TypedDict):
    """Text from the user or the assistant."""

    # The type of the part.
    type: ContentPartType
    # The text. In a user message it is never blank.
    text: str


class ContentPartInput(TypedDict):
    """One part of a message. Send only the fields of its type."""

    # For data: base64 of at most 8 MiB of data.
    data: NotRequired[Optional[str]]
    # For url, image, video and audio: an absolute http or https URL, or the URI of an uploaded file.
    file_uri: NotRequired[Optional[str]]
    # For all other types: the MIME type, for example image/png.
    mime_type: NotRequired[Optional[str]]
    # For text: 1 to 200,000 characters, not blank.
    text: NotRequired[Optional[str]]
    # The type. It decides which other fields are required.
    type: ContentPartType


class ConversationItem(TypedDict):
    """A conversation with a deployment. To continue it, a client needs only its conversationId."""

    # The ID of the conversation.
    id: str
    # The ID of the conversation.
    conversation_id: str
    # The deployment that responds in it.
    deployment_id: str
    # Your own ID of the user that it belongs to. Null: it belongs to no end user.
    end_user: Optional[str]
    # Its title. At first, the beginning of the first message.
    name: str
    # Searchable labels.
    meta: Dict[str, Any]
    # Number of stored messages.
    message_count: int
    # When the service accepted the first message.
    created_at: str
    # When a turn last changed it.
    updated_at: str
    # Whether it accepts further turns.
    status: ConversationStatus
    # When it was completed. Null: it is active.
    completed_at: Optional[str]
    # The ID of the run. It stays the same when the run pauses and resumes.
    run_id: Optional[str]
    run_status: Optional[RunStatus]
    # Calls that wait for the client. Empty if no call is pending.
    pending_client_actions: List[PendingAction]
    # Every call of the latest run, in order.
    tool_summary: List[ToolSummary]
    # One item for each pending call.
    progress: List[ProgressItem]


class ConversationPage(TypedDict):
    """A page of conversations by page number, latest activity first."""

    # The items of this page.
    items: List[ConversationItem]
    # Number of items in the whole list.
    total: int
    # The requested page number.
    page: int
    # The requested page size.
    page_size: int
    # Whether there is a next page, with older conversations.
    has_more: bool
    # The place after this page, for the next one. Null on the last page.
    as_of: Optional[str]


class ConversationUsage(TypedDict):
    """What the workflow log has about the turns of conversations."""

    # Number of turns. A turn that pauses and resumes counts as two, because each part calls the model.
    turns: int
    # Number of failed turns.
    failures: int
    # Tokens that the model read.
    input_tokens: int
    # Tokens that the model wrote.
    output_tokens: int
    # Response time of the slowest turn, in milliseconds. Null: no turn has finished or paused.
    response_time_ms: Optional[int]
    # The cost as a decimal number, in the currency of the workspace. Null: a model has no price.
    cost: Optional[str]


class CreateEndUserTokenInput(TypedDict):
    """The user and the deployment of a new token."""

    # Your own ID of the user: 1 to 255 characters, not blank.
    end_user: str
    # Seconds until the token expires: 1 to 3,600.
    ttl_seconds: int
    # The permissions of the token: conversations:read, conversations:write, or one of them. Default: both.
    scopes: NotRequired[Optional[List[Literal["conversations:read", "conversations:write"]]]]


class CreateResourceInput(TypedDict):
    """A new resource."""

    # 1 to 64 characters of a-z, 0-9 and _, starting with a letter.
    type: str
    # The values by key: at most 256 KiB as JSON and 20 levels.
    fields: Dict[str, Any]


class CreateTriggerInput(TypedDict):
    """A new trigger."""

    # The first message of the user: 1 to 64 parts. Required.
    content: List[ContentPartInput]
    # Variables by name, for the instructions. Values other than strings are inserted as JSON.
    variables: NotRequired[Optional[Dict[str, Any]]]
    # A hint for the client about where to show it: 1 to 64 characters.
    ui_surface: NotRequired[Optional[str]]
    # Hours until it expires: 1 to 8,760. Null: never.
    ttl_hours: NotRequired[Optional[int]]


class CreateUploadInput(TypedDict):
    """A file to upload. Callers without credentials name a conversation or a deployment."""

    # The deployment that the file is for. Its limits apply.
    deployment_id: NotRequired[Optional[str]]
    # The conversation that the file is for. The limits of its deployment apply.
    conversation_id: NotRequired[Optional[str]]
    # The name of the file, without folders: 1 to 255 characters.
    name: str
    # The MIME type, for example application/pdf.
    mime_type: str
    # The size: 1 to 1,073,741,824 bytes. Default limit: 100 MiB, without credentials 10 MiB.
    size_bytes: int
    # The SHA-256 of the bytes in hexadecimal digits, to find transfer errors.
    sha256: NotRequired[Optional[str]]


class EraseEndUserInput(TypedDict):
    """The user whose data is deleted."""

    # Your own ID of the user: 1 to 255 characters, not blank.
    end_user: str


class Error(TypedDict):
    """The body of every error response."""

    error: Dict[str, Any]
    # The x-request-id of this response, for support requests.
    request_id: str


class Event(TypedDict):
    """An entry of the event log. The service writes entries and never changes them."""

    # The ID: evt_ and 26 characters.
    id: str
    # The event type.
    type: EventType
    # The ID of the affected resource, integration, run, conversation or trigger. It can be deleted by now.
    resource_id: str
    # resource.created and resource.deleted: type and fields. resource.updated: before and after, with only the
    # changed fields. integration.*: integration_id, kind and name. run.*: run_id, conversation_id, deployment_id,
    # run_status, step, finish_reason and error_code; run.started also trigger_id, and run.waiting pending_calls
    # with call_id and name. conversation.completed: conversation_id, deployment_id and run_id. trigger.used:
    # trigger_id, conversation_id and deployment_id.
    payload: Dict[str, Any]
    # When the change happened.
    occurred_at: str


class File(TypedDict):
    """An uploaded file. Its bytes are complete, and their type was checked."""

    # The ID: `file_` and 26 characters.
    id: str
    # The name that the client sent, without folders.
    name: str
    # The MIME type that the client announced. The beginning of the file does not contradict it.
    mime_type: str
    # The size in bytes.
    size_bytes: int
    # The SHA-256 of the bytes, in hexadecimal digits.
    sha256: str
    # A URL that reads the bytes without credentials. It expires after 10 minutes. Each read returns a new one.
    url: str
    # When `url` expires.
    url_expires_at: str
    # When the upload was created.
    created_at: str


class ActionCallOrToolCall(TypedDict):
    """A call of a server action from the workflow. A call of a built-in server tool."""

    # The ID. IDs sort as strings in the order of the timeline.
    id: str
    # The type of the item.
    type: HistoryItemType
    # When the service stored the item.
    created_at: str
    # The name of the tool.
    name: str
    # The ID of the call. It is unique in the conversation.
    call_id: str
    # The status of the call.
    status: CallStatus
    # A sentence to show to users. It has no arguments, outputs or secrets.
    summary: str


class ClientToolCall(TypedDict):
    """A call of a tool that the client runs."""

    # The ID. IDs sort as strings in the order of the timeline.
    id: str
    # The type of the item.
    type: HistoryItemType
    # When the service stored the item.
    created_at: str
    # The name of the tool.
    name: str
    # The ID of the call. It is unique in the conversation.
    call_id: str
    # The status of the call.
    status: CallStatus
    # A sentence to show to users. It has no arguments, outputs or secrets.
    summary: str
    # The arguments of the call. Empty for an approval (`approve_action`) that the caller cannot answer.
    arguments: Dict[str, Any]
    # The accepted result. Null: no result yet. Only `approved` for an approval that the caller cannot answer.
    output: Optional[Dict[str, Any]]


class ConversationCompletion(TypedDict):
    """Marks that the assistant completed the conversation permanently."""

    # The ID. IDs sort as strings in the order of the timeline.
    id: str
    # The type of the item.
    type: HistoryItemType
    # When the service stored the item.
    created_at: str
    # A sentence to show to users.
    summary: str


class Message(TypedDict):
    """A message of the user or the assistant. Tool calls and results are not messages."""

    # The ID. IDs sort as strings in the order of the timeline.
    id: str
    # The type of the item.
    type: HistoryItemType
    # When the service stored the item.
    created_at: str
    # The author of the message.
    role: MessageRole
    # The parts of the message, in order.
    content: List[ContentPart]
    # The rating of the reply. Null: it has no rating. Only messages of the assistant can be rated.
    rating: NotRequired[Dict[str, Any]]


class OneShotRun(TypedDict):
    """A reply without a conversation. The service stores only its entry in the workflow log."""

    # The assistant's reply. It can be empty.
    content: Union[str, Dict[str, Any]]
    # The model, as provider:name.
    model: str
    # Why the reply ended. Null: unknown.
    finish_reason: Optional[FinishReason]
    # Tokens that the model read.
    input_tokens: int
    # Tokens that the model wrote.
    output_tokens: int
    # Seconds from the acceptance of the request to the reply, with a precision of one millisecond.
    response_time: float
    # The x-request-id of the request.
    request_id: str
    # The ID of its entry in the workflow log.
    workflow_log_id: int


class PendingAction(TypedDict):
    """A tool call that waits for its result from the client (SPEC 2), in the result of a turn. The query
    `pendingActions` lists all waiting calls as nodes.
    """

    # The ID that the tool result must have as its callId.
    call_id: str
    # The name of the tool to run.
    name: str
    # The arguments for the tool. Empty for an approval (`approve_action`) that the caller cannot answer.
    arguments: Dict[str, Any]
    # When the call expires. Without a time, it never does.
    expires_at: NotRequired[str]


class ProgressItem(TypedDict):
    """Describes what the conversation is waiting for."""

    # Always client_action_required.
    type: str
    # The ID of the pending call.
    call_id: str
    # The name of the tool.
    name: str
    # A sentence to show to users.
    summary: str


class RateMessageInput(TypedDict):
    """A reply and its rating."""

    # Whether the reply helped. Required. Null removes the rating.
    rating: NotRequired[Optional[RatingValue]]
    # A comment: at most 2000 characters. Omit it for a rating without a comment.
    comment: NotRequired[Optional[str]]


class RequestPasswordResetInput(TypedDict):
    """The account that needs a new password."""

    # The email address, in upper or lower case.
    email: str


class ResetPasswordInput(TypedDict):
    """The token of a link, and the new password."""

    # The value of token= in the fragment of the link.
    token: str
    # The new password: 12 to 256 characters.
    password: str


class Resource(TypedDict):
    """A record of the workspace: a type and free-form fields."""

    # The ID: res_ and 26 characters.
    id: str
    # The type that the client chose, for example contact.
    type: str
    # The values by key.
    fields: Dict[str, Any]
    # Creation time.
    created_at: str
    # When its fields last changed.
    updated_at: str


class RevokeEndUserTokensInput(TypedDict):
    """The user whose tokens are revoked."""

    # Your own ID of the user: 1 to 255 characters, not blank.
    end_user: str


class RunAgentTurnInput(TypedDict):
    """A turn of an agent conversation (v2)."""

    # The message of the user: 1 to 64 parts. Required without trigger_id.
    content: NotRequired[Optional[List[ContentPartInput]]]
    # The conversation to continue. Omit it to start a new one.
    conversation_id: NotRequired[Optional[str]]
    # Strings by name, for the instructions: at most 100. Only with the first message.
    variables: NotRequired[Optional[Dict[str, str]]]
    # Searchable labels: strings, numbers or booleans by name, at most 50. Only with the first message.
    meta: NotRequired[Optional[Dict[str, Union[str, float, bool]]]]
    # Earlier message pairs that the model receives: 0 to 100. Default: the history limit of the workflow.
    history_limit: NotRequired[Optional[int]]
    # Starts from this trigger. The trigger supplies omitted fields. With conversation_id, it must be the trigger
    # that started that conversation.
    trigger_id: NotRequired[Optional[str]]
    # True: if there is no conversation with the ID `conversation_id`, the turn starts it. Choose a random UUID.
    # `variables` and `meta` apply to the start only. Not with `trigger_id`. Default: false.
    start_if_missing: NotRequired[Optional[bool]]
    # Connected client tools: at most 64. Omit it if no tool is connected.
    client_capabilities: NotRequired[Optional[List[Union[str, Dict[str, Any]]]]]
    # True: return as soon as the turn is accepted, with a `StartedTurn`. `turnEvents` shows the turn. A second
    # request with the same idempotency key and without it waits for the outcome. Default: false.
    background: NotRequired[Optional[bool]]
    # Makes the turn a resume: one result for each pending call. Needs conversation_id and no content.
    tool_results: NotRequired[Optional[List[ToolResultInput]]]


class RunOnceInput(TypedDict):
    """A message without a conversation."""

    # The message of the user: 1 to 64 parts. Required without trigger_id.
    content: NotRequired[Optional[List[ContentPartInput]]]
    # A trigger that supplies omitted fields.
    trigger_id: NotRequired[Optional[str]]
    # Strings, numbers or booleans by name, for the instructions: at most 100. Numbers and booleans are inserted as
    # text.
    variables: NotRequired[Optional[Dict[str, Union[str, float, bool]]]]


class SendMessageInput(TypedDict):
    """A message of ordinary chat (v1)."""

    # The message of the user: 1 to 64 parts. Required without trigger_id.
    content: NotRequired[Optional[List[ContentPartInput]]]
    # The conversation to continue. Omit it to start a new one.
    conversation_id: NotRequired[Optional[str]]
    # Strings by name, for the instructions: at most 100. Only with the first message.
    variables: NotRequired[Optional[Dict[str, str]]]
    # Searchable labels: strings, numbers or booleans by name, at most 50. Only with the first message.
    meta: NotRequired[Optional[Dict[str, Union[str, float, bool]]]]
    # Earlier message pairs that the model receives: 0 to 100. Default: the history limit of the workflow.
    history_limit: NotRequired[Optional[int]]
    # Starts from this trigger. The trigger supplies omitted fields. With conversation_id, it must be the trigger
    # that started that conversation.
    trigger_id: NotRequired[Optional[str]]


class SetTriggerRequiredInput(TypedDict):
    """The trigger settings of a workflow."""

    # Whether conversations and one-shot runs must start from a trigger.
    trigger_required: bool


class SignInInput(TypedDict):
    """The account and its password."""

    # The email address, in upper or lower case.
    email: str
    # The password of the account.
    password: str
    # The workspace for the session. Default: of the workspaces that accept passwords, the one that the user joined
    # first.
    workspace_id: NotRequired[Optional[str]]
    # For pages of this service: true sends the session as a cookie that scripts cannot read, instead of the token.
    # Default: false.
    cookie: NotRequired[Optional[bool]]


class ToolResultInput(TypedDict):
    """The result of a pending call."""

    # The ID of the pending call.
    call_id: str
    # A JSON object, in the form that the tool expects: at most 1 MiB. Required.
    output: Dict[str, Any]


class ToolSummary(TypedDict):
    """A call of the latest run, without arguments and output."""

    # The name of the tool or action.
    name: str
    # The type of the call.
    type: CallType
    # The status of the call.
    status: CallStatus


class ModelStepSpan(TypedDict):
    """A model step of a turn."""

    # The ID.
    id: str
    # The model step of the run, from 1. A call has the step that requested it.
    step: int
    # Start time.
    started_at: str
    # Milliseconds until the end.
    duration_ms: int
    # The x-request-id of the request that ran it.
    request_id: str
    # Whether content is cut off: a prompt, an answer, arguments or a result of more than 50,000 characters.
    is_truncated: bool
    # The model, as provider:name.
    model: str
    # How many times the service sent the request.
    attempts: int
    # Tokens that the model read. Null: the step failed.
    input_tokens: Optional[int]
    # Tokens that the model wrote. Null: the step failed.
    output_tokens: Optional[int]
    # The cost as a decimal number, in the currency of the workspace. Null: the step failed, the model has no price,
    # or the caller lacks the scope. Scope: workflows:read.
    cost: Optional[str]
    # Why the answer ended. Null: the step failed, or the provider gave no known reason.
    finish_reason: Optional[FinishReason]
    # Why the step failed. Null: it did not fail, or the service stopped it.
    failure_reason: Optional[RunFailureReason]
    # Why the step has no result, as a sentence. Null: it has one.
    error: Optional[str]
    # The attempts that failed, in order, also those that the service repeated.
    failed_attempts: List[Dict[str, Any]]
    # What the model was asked. Null: the service no longer has the key that sealed it.
    prompt: Dict[str, Any]
    # What the model answered. Null: the service no longer has the key that sealed it.
    answer: Dict[str, Any]


class ToolCallSpan(TypedDict):
    """A call of a server tool. The service runs each call once."""

    # The ID.
    id: str
    # The model step of the run, from 1. A call has the step that requested it.
    step: int
    # Start time.
    started_at: str
    # Milliseconds until the end.
    duration_ms: int
    # The x-request-id of the request that ran it.
    request_id: str
    # Whether content is cut off: a prompt, an answer, arguments or a result of more than 50,000 characters.
    is_truncated: bool
    # The name of the tool.
    tool: str
    # The ID of the call in the timeline.
    call_id: str
    # completed or failed.
    call_status: CallStatus
    # The arguments. If they are cut off: an object with the beginning of their JSON in `truncated`. Null: the
    # service no longer has the key that sealed it.
    arguments: Optional[Dict[str, Any]]
    # The result as the model received it, or an error. If it is cut off: an object with the beginning of its JSON
    # in `truncated`. Null: the service no longer has the key that sealed it.
    result: Optional[Dict[str, Any]]


class Trigger(TypedDict):
    """A stored first message. It starts one conversation and stays linked to it."""

    # The ID of 8 characters. It is the tid of hosted links.
    id: str
    # The deployment of the trigger.
    deployment_id: str
    # The workflow of the deployment.
    workflow_id: int
    # A hint for the client about where to show it, for example chat, assessment or agent.
    ui_surface: Optional[str]
    # The first message of the user.
    content: List[ContentPart]
    # Variables by name, for the instructions. Null: it has no variables.
    variables: Optional[Dict[str, Any]]
    # The conversation that it started. Null: it has not started one.
    conversation_id: Optional[str]
    # The ID of its latest entry in the workflow log. Null: there is no entry yet.
    workflow_log_id: Optional[int]
    # Creation time.
    created_at: str
    # When it expires. Null: never.
    expires_at: Optional[str]
    # Whether it has expired.
    expired: bool


class UpdateConversationInput(TypedDict):
    """A conversation and its changes: at least one of `name` and `meta`."""

    # 1 to 100 characters, not blank. White space is folded. Omit it to keep the name.
    name: NotRequired[Optional[str]]
    # Labels to change: strings, numbers or booleans by name. Null removes a label, and other labels stay. The
    # conversation can have 50.
    meta: NotRequired[Optional[Dict[str, Optional[Union[str, float, bool]]]]]


class UpdateResourceInput(TypedDict):
    """Changes to a resource."""

    # New values by key, including null. Other keys stay. The result must be within the limits of a new resource.
    fields: Dict[str, Any]


class User(TypedDict):
    """A person with an account."""

    # The ID. It stays the same when the email address changes.
    id: str
    # The email address for signing in, in lower case.
    email: str
    # Display name.
    name: str


class WaitingCall(TypedDict):
    """A call of a tool that the client runs."""

    # The ID of the call. It is unique in the conversation.
    call_id: str
    # The name of the tool.
    name: str
    # The arguments of the call. Empty for an approval (`approve_action`) that the caller cannot answer.
    arguments: Dict[str, Any]
    # Since when it waits for its result. Null: it has a result, or it was cancelled.
    waiting_since: Optional[str]
    # When the time to answer ends. Null: never, or it does not wait.
    expires_at: NotRequired[str]
    # Who can give the approval. Null: this is not a call of approve_action.
    approver: Optional[Approver]
    # Who can answer it. All calls of a step are answered together, so an approval in the step can exclude one side.
    # Empty: it does not wait.
    answerable_by: List[CallAnswerer]
    # The ID of the conversation.
    conversation_id: Optional[str]
    # The deployment that responds in it.
    deployment_id: Optional[str]
    # The ID of the run. It stays the same when the run pauses and resumes.
    run_id: Optional[str]


class Workspace(TypedDict):
    """A tenant: it owns members, workflows and deployments."""

    # The ID of the workspace.
    id: str
    # Display name.
    name: str


class SearchConversationsResponse(TypedDict):
    # The items of this page.
    data: List[Dict[str, Any]]
    # Whether the list continues before or after this page.
    meta: Dict[str, Any]


class TotalConversationsResponse(TypedDict):
    # Number of conversations.
    conversations: int
    # The usage of all of them. Null: the caller lacks the scope. Scope: workflows:read.
    usage: Optional[ConversationUsage]


class SendMessageResponse(TypedDict):
    # The ID for the next turn.
    conversation_id: str
    # completed if the assistant has permanently completed the conversation.
    status: ConversationStatus
    # When the conversation was completed. Null: it is active.
    completed_at: Optional[str]
    # The name of the conversation.
    name: str
    # The assistant's reply. It can be empty.
    content: Union[str, Dict[str, Any]]
    # The model, as provider:name.
    model: str
    # Why the reply ended. Null: unknown.
    finish_reason: Optional[FinishReason]
    # Input tokens of this turn.
    input_tokens: int
    # Output tokens of this turn.
    output_tokens: int
    # Seconds from the acceptance of the turn to the reply, with a precision of one millisecond.
    response_time: float
    # The x-request-id of the request that started this turn.
    request_id: str
    # When the conversation started.
    created_at: str
    # When this turn ended.
    updated_at: str


class SendMessageAccepted(TypedDict):
    # The ID for `turnEvents` and `stopTurn`.
    conversation_id: str
    # The ID of the run, for monitoring only. No operation takes it as input.
    run_id: str
    # Always running.
    run_status: RunStatus
    # For `after` of `turnEvents`: the feed begins with this turn, or with the results that it continues with, even
    # if the turn has ended meanwhile.
    follow_cursor: str


class FinishedTurn(TypedDict):
    """A turn that ended with the assistant's reply."""

    # The ID of the run, for monitoring only. No operation takes it as input.
    run_id: str
    # completed, or interrupted if it failed after tool results were accepted.
    run_status: RunStatus
    # The ID for the next turn.
    conversation_id: str
    # completed if the assistant has permanently completed the conversation.
    conversation_status: ConversationStatus
    # When the conversation was completed. Null: it is active.
    completed_at: Optional[str]
    # The name of the conversation.
    name: str
    # The assistant's reply. It can be empty.
    content: Union[str, Dict[str, Any]]
    # The model, as provider:name.
    model: str
    # Why the reply ended. Null: unknown.
    finish_reason: Optional[FinishReason]
    # Input tokens of this turn.
    input_tokens: int
    # Output tokens of this turn.
    output_tokens: int
    # Seconds from the acceptance of the turn to the reply, with a precision of one millisecond.
    response_time: float
    # The x-request-id of the request that started this turn.
    request_id: str
    # Always empty: no call is pending. PausedTurn has the same field.
    client_tool_calls: List[PendingAction]
    # Always empty: no call is pending. PausedTurn has the same field.
    progress: List[ProgressItem]
    # When the conversation started.
    created_at: str
    # When this turn ended.
    updated_at: str
    # The connected client tools that the assistant cannot call. Null: it can call all of them.
    ignored_client_tools: NotRequired[List[Dict[str, Any]]]


class PausedTurn(TypedDict):
    """A turn that waits for its client. A resume must send a result for each pending call."""

    # The ID of the run, for monitoring only. No operation takes it as input.
    run_id: str
    # Always waiting_for_client_action.
    run_status: RunStatus
    # The ID for the resume.
    conversation_id: str
    # Always active.
    conversation_status: ConversationStatus
    # Always null: the conversation is active.
    completed_at: Optional[str]
    # The name of the conversation.
    name: str
    # The calls that the client must run.
    client_tool_calls: List[PendingAction]
    # One item for each pending call.
    progress: List[ProgressItem]
    # The connected client tools that the assistant cannot call. Null: it can call all of them.
    ignored_client_tools: NotRequired[List[Dict[str, Any]]]


class RunAgentTurnAccepted(TypedDict):
    # The ID for `turnEvents` and `stopTurn`.
    conversation_id: str
    # The ID of the run, for monitoring only. No operation takes it as input.
    run_id: str
    # Always running.
    run_status: RunStatus
    # For `after` of `turnEvents`: the feed begins with this turn, or with the results that it continues with, even
    # if the turn has ended meanwhile.
    follow_cursor: str
    # The connected client tools that the assistant cannot call. Null: it can call all of them.
    ignored_client_tools: NotRequired[List[Dict[str, Any]]]


class ReadHistoryResponse(TypedDict):
    # The items of this page.
    items: List[HistoryItem]
    # The cursor of the next page: for `after`, or for `before` if you page with `last`. Null: this is the last
    # page.
    next_cursor: Optional[str]
    # The ID of the conversation.
    conversation_id: str
    # Whether it accepts further turns.
    conversation_status: ConversationStatus
    # When it was completed. Null: it is active.
    completed_at: Optional[str]
    # The ID of the run. It stays the same when the run pauses and resumes.
    run_id: Optional[str]
    run_status: Optional[RunStatus]
    # For `after` of `turnEvents`: the feed begins with this turn, from its first character, even if it has ended.
    follow_cursor: Optional[str]
    # Calls that wait for the client. Empty if no call is pending.
    pending_client_actions: List[PendingAction]


class ReadMessagesResponse(TypedDict):
    # The items of this page.
    items: List[Dict[str, Any]]
    # Number of items in the whole list.
    total: int
    # The requested page number.
    page: int
    # The requested page size.
    page_size: int
    # Whether there is a next page, with newer messages.
    has_more: bool
    # Whether it accepts further turns.
    conversation_status: ConversationStatus
    # When it was completed. Null: it is active.
    completed_at: Optional[str]
    # The ID of the run. It stays the same when the run pauses and resumes.
    run_id: Optional[str]
    run_status: Optional[RunStatus]
    # Calls that wait for the client. Empty if no call is pending.
    pending_client_actions: List[PendingAction]
    # Every call of the latest run, in order.
    tool_summary: List[ToolSummary]
    # One item for each pending call.
    progress: List[ProgressItem]


class RenameConversationResponse(TypedDict):
    # The ID of the conversation.
    conversation_id: str
    # Its title. At first, the beginning of the first message.
    name: str
    # Searchable labels.
    meta: Dict[str, Any]


class StopTurnResponse(TypedDict):
    # The ID of the conversation.
    conversation_id: str
    # The ID of the run. It stays the same when the run pauses and resumes.
    run_id: Optional[str]
    run_status: Optional[RunStatus]


class RateMessageResponse(TypedDict):
    # The ID of the message in the REST API.
    id: int
    # The author of the message.
    role: MessageRole
    # The rating of the reply. Null: it has no rating. Only messages of the assistant can be rated.
    rating: NotRequired[Dict[str, Any]]
    # When the service stored the item.
    created_at: str


class ListDeploymentsResponse(TypedDict):
    # The items of this page.
    data: List[Dict[str, Any]]
    # Whether the list continues before or after this page.
    meta: Dict[str, Any]


class CreateEndUserTokenResponse(TypedDict):
    data: Dict[str, Any]


class RevokeEndUserTokensResponse(TypedDict):
    data: Dict[str, Any]


class EraseEndUserResponse(TypedDict):
    data: Dict[str, Any]


class ListEventsResponse(TypedDict):
    # The items of this page.
    data: List[Event]
    # Whether the list continues before or after this page.
    meta: Dict[str, Any]


class ReadEventResponse(TypedDict):
    data: Event


class CreateUploadResponse(TypedDict):
    # How to send the bytes.
    upload: Dict[str, Any]
    # The URI of the file, for `fileUri` of a message.
    file_uri: str


class ReadMeResponse(TypedDict):
    data: Dict[str, Any]


class RequestPasswordResetAccepted(TypedDict):
    data: Dict[str, Any]


class ResetPasswordResponse(TypedDict):
    data: Dict[str, Any]


class ListPendingActionsResponse(TypedDict):
    # The items of this page.
    data: List[WaitingCall]
    # Whether the list continues before or after this page.
    meta: Dict[str, Any]


class ListResourcesResponse(TypedDict):
    # The items of this page.
    data: List[Resource]
    # Whether the list continues before or after this page.
    meta: Dict[str, Any]


class CreateResourceResponse(TypedDict):
    # The new resource.
    data: Resource


class ReadResourceResponse(TypedDict):
    data: Resource


class UpdateResourceResponse(TypedDict):
    # The changed resource.
    data: Resource


class SignInResponse(TypedDict):
    data: Dict[str, Any]


class CompleteSignInResponse(TypedDict):
    data: Dict[str, Any]


class ReadRunTraceResponse(TypedDict):
    # The ID of the run.
    run_id: str
    # The ID of the deployment that ran.
    deployment_id: str
    # The ID of the workflow.
    workflow_id: int
    # The version of the workflow that ran.
    workflow_version: int
    # The x-request-id of the request that started or last resumed the turn.
    request_id: str
    # When the trace expires.
    kept_until: str
    # The model steps and calls of server tools, in the order in which they ended.
    spans: Dict[str, Any]


class ListTriggersResponse(TypedDict):
    # The items of this page.
    items: List[Trigger]
    # Number of items in the whole list.
    total: int
    # The requested page number.
    page: int
    # The requested page size.
    page_size: int
    # Whether there is a next page, with older triggers.
    has_more: bool


class SetTriggerRequiredResponse(TypedDict):
    # The ID: a number.
    workflow_id: int
    # Whether conversations and one-shot runs must start from a trigger.
    trigger_required: bool


class ReadWidgetMetaResponse(TypedDict):
    # The ID of the deployment.
    deployment_id: str
    # Display name.
    name: str
    # Whether conversations must start from a trigger.
    trigger_required: bool
    # Whether turns need credentials.
    auth_required: bool
    # The hosted page of the deployment.
    kind: DeploymentKind
    # URL of the hosted chat page.
    chat_url: str
    # URL of the hosted agent page.
    agent_url: str


class Parley(Connection):
    """The operations of the service. Errors are ParleyError."""

    def search_conversations(
        self,
        *,
        text: Optional[str] = None,
        search: Optional[str] = None,
        id: Optional[str] = None,
        deployment_id: Optional[str] = None,
        end_user: Optional[str] = None,
        status: Optional[ConversationStatus] = None,
        run_status: Optional[List[RunStatus]] = None,
        rating: Optional[RatingValue] = None,
        error_code: Optional[List[ErrorCode]] = None,
        workflow_version: Optional[int] = None,
        created_from: Optional[str] = None,
        created_to: Optional[str] = None,
        updated_from: Optional[str] = None,
        updated_to: Optional[str] = None,
        min_response_time_ms: Optional[int] = None,
        max_response_time_ms: Optional[int] = None,
        min_cost: Optional[float] = None,
        max_cost: Optional[float] = None,
        order_by: Optional[ConversationOrderField] = None,
        order: Optional[OrderDirection] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        meta: Optional[Dict[str, str]] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> SearchConversationsResponse:
        """Finds conversations by their messages, IDs, labels, states, dates, response time and cost.
        `meta[tier]=gold` filters by the label `tier`. `usage` is null without the scope workflows:read.
        """
        path = f"/v1/conversations"
        query: Dict[str, Any] = {"text": text, "search": search, "id": id, "deployment_id": deployment_id, "end_user": end_user, "status": status, "run_status": run_status, "rating": rating, "error_code": error_code, "workflow_version": workflow_version, "created_from": created_from, "created_to": created_to, "updated_from": updated_from, "updated_to": updated_to, "min_response_time_ms": min_response_time_ms, "max_response_time_ms": max_response_time_ms, "min_cost": min_cost, "max_cost": max_cost, "order_by": order_by, "order": order, "limit": limit, "cursor": cursor, "meta": meta}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: SearchConversationsResponse = self._json("GET", path, "application/json", query, headers)
        return response

    def total_conversations(
        self,
        *,
        text: Optional[str] = None,
        search: Optional[str] = None,
        id: Optional[str] = None,
        deployment_id: Optional[str] = None,
        end_user: Optional[str] = None,
        status: Optional[ConversationStatus] = None,
        run_status: Optional[List[RunStatus]] = None,
        rating: Optional[RatingValue] = None,
        error_code: Optional[List[ErrorCode]] = None,
        workflow_version: Optional[int] = None,
        created_from: Optional[str] = None,
        created_to: Optional[str] = None,
        updated_from: Optional[str] = None,
        updated_to: Optional[str] = None,
        min_response_time_ms: Optional[int] = None,
        max_response_time_ms: Optional[int] = None,
        min_cost: Optional[float] = None,
        max_cost: Optional[float] = None,
        meta: Optional[Dict[str, str]] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> TotalConversationsResponse:
        """The number of conversations that match the filters, and their usage. The filters are those of the
        search.
        """
        path = f"/v1/conversations/totals"
        query: Dict[str, Any] = {"text": text, "search": search, "id": id, "deployment_id": deployment_id, "end_user": end_user, "status": status, "run_status": run_status, "rating": rating, "error_code": error_code, "workflow_version": workflow_version, "created_from": created_from, "created_to": created_to, "updated_from": updated_from, "updated_to": updated_to, "min_response_time_ms": min_response_time_ms, "max_response_time_ms": max_response_time_ms, "min_cost": min_cost, "max_cost": max_cost, "meta": meta}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: TotalConversationsResponse = self._json("GET", path, "application/json", query, headers)
        return response

    def export_conversations(
        self,
        *,
        text: Optional[str] = None,
        search: Optional[str] = None,
        id: Optional[str] = None,
        deployment_id: Optional[str] = None,
        end_user: Optional[str] = None,
        status: Optional[ConversationStatus] = None,
        run_status: Optional[List[RunStatus]] = None,
        rating: Optional[RatingValue] = None,
        error_code: Optional[List[ErrorCode]] = None,
        workflow_version: Optional[int] = None,
        created_from: Optional[str] = None,
        created_to: Optional[str] = None,
        updated_from: Optional[str] = None,
        updated_to: Optional[str] = None,
        min_response_time_ms: Optional[int] = None,
        max_response_time_ms: Optional[int] = None,
        min_cost: Optional[float] = None,
        max_cost: Optional[float] = None,
        order_by: Optional[ConversationOrderField] = None,
        order: Optional[OrderDirection] = None,
        meta: Optional[Dict[str, str]] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> Iterator[Any]:
        """Exports the conversations that match the filters, one per line, in the order of the search. The
        filters are those of the search.
        """
        path = f"/v1/conversations/export"
        query: Dict[str, Any] = {"text": text, "search": search, "id": id, "deployment_id": deployment_id, "end_user": end_user, "status": status, "run_status": run_status, "rating": rating, "error_code": error_code, "workflow_version": workflow_version, "created_from": created_from, "created_to": created_to, "updated_from": updated_from, "updated_to": updated_to, "min_response_time_ms": min_response_time_ms, "max_response_time_ms": max_response_time_ms, "min_cost": min_cost, "max_cost": max_cost, "order_by": order_by, "order": order, "meta": meta}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        return self._lines("GET", path, "application/x-ndjson", query, headers)

    def send_message(
        self,
        *,
        body: SendMessageInput,
        deployment_id: str,
        prefer: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> Union[SendMessageResponse, SendMessageAccepted]:
        """Runs one turn of ordinary chat (v1). It starts or continues a conversation. Scope:
        conversations:write.
        """
        path = f"/v1/runner/{_path(deployment_id)}/conversation"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Prefer": prefer, "Idempotency-Key": idempotency_key, "x-environment": environment}
        response: Union[SendMessageResponse, SendMessageAccepted] = self._json("POST", path, "application/json", query, headers, body)
        return response

    def stream_reply(
        self,
        *,
        body: SendMessageInput,
        deployment_id: str,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> Iterator[ServerEvent]:
        """Runs one turn of ordinary chat (v1) and streams the reply: as text, or as server-sent events if the
        client accepts them. If the client disconnects, the turn stops and the service stores the partial
        reply.
        """
        path = f"/v1/runner/{_path(deployment_id)}/conversation/stream"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key, "x-environment": environment}
        return self._events("POST", path, "text/event-stream", query, headers, body)

    def run_agent_turn(
        self,
        *,
        body: RunAgentTurnInput,
        deployment_id: str,
        prefer: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> Union[Union[FinishedTurn, PausedTurn], RunAgentTurnAccepted]:
        """Starts, continues or resumes an agent conversation (v2). The turn continues if the client disconnects.
        Scope: conversations:write.
        """
        path = f"/v2/runner/{_path(deployment_id)}/conversation"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Prefer": prefer, "Idempotency-Key": idempotency_key, "x-environment": environment}
        response: Union[Union[FinishedTurn, PausedTurn], RunAgentTurnAccepted] = self._json("POST", path, "application/json", query, headers, body)
        return response

    def read_history(
        self,
        *,
        deployment_id: str,
        conversation_id: str,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> ReadHistoryResponse:
        """The timeline of an agent conversation: messages and tool calls. Pages start with the newest. Items
        within a page are oldest first.
        """
        path = f"/v2/runner/{_path(deployment_id)}/conversation/{_path(conversation_id)}/history"
        query: Dict[str, Any] = {"limit": limit, "cursor": cursor}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: ReadHistoryResponse = self._json("GET", path, "application/json", query, headers)
        return response

    def read_messages(
        self,
        *,
        conversation_id: str,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> ReadMessagesResponse:
        """The messages of a conversation, oldest first, and its status. For v1 and v2 conversations."""
        path = f"/v1/runner/conversation/{_path(conversation_id)}/messages"
        query: Dict[str, Any] = {"page": page, "page_size": page_size}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: ReadMessagesResponse = self._json("GET", path, "application/json", query, headers)
        return response

    def list_deployment_conversations(
        self,
        *,
        deployment_id: str,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        as_of: Optional[str] = None,
        meta: Optional[Dict[str, str]] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> ConversationPage:
        """Conversations of a deployment, latest activity first. `meta[tier]=gold` filters by a label, and so
        does every query parameter except page, page_size and as_of by its own name.
        """
        path = f"/v1/runner/{_path(deployment_id)}/conversations"
        query: Dict[str, Any] = {"page": page, "page_size": page_size, "as_of": as_of, "meta": meta}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: ConversationPage = self._json("GET", path, "application/json", query, headers)
        return response

    def list_conversations(
        self,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        as_of: Optional[str] = None,
        meta: Optional[Dict[str, str]] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> ConversationPage:
        """Conversations of the environment, latest activity first. `meta[tier]=gold` filters by a label, and so
        does every query parameter except page, page_size and as_of by its own name.
        """
        path = f"/v1/runner/conversations"
        query: Dict[str, Any] = {"page": page, "page_size": page_size, "as_of": as_of, "meta": meta}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: ConversationPage = self._json("GET", path, "application/json", query, headers)
        return response

    def follow_turns(
        self,
        *,
        conversation_id: str,
        after: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> Iterator[ServerEvent]:
        """Follows the turns of a conversation while they run, as server-sent events. The `id` of an event is its
        cursor: send it as `Last-Event-ID`, or as `after`, to continue after that event. Without a cursor the
        feed begins with the turn that is running or waiting, or with the next one.
        """
        path = f"/v1/runner/conversation/{_path(conversation_id)}/stream"
        query: Dict[str, Any] = {"after": after}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        return self._events("GET", path, "text/event-stream", query, headers)

    def rename_conversation(
        self,
        *,
        body: UpdateConversationInput,
        conversation_id: str,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> RenameConversationResponse:
        """Changes the name or the labels (`meta`) of a conversation. The conversation keeps its place in lists."""
        path = f"/v1/runner/conversation/{_path(conversation_id)}"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: RenameConversationResponse = self._json("PATCH", path, "application/json", query, headers, body)
        return response

    def stop_turn(
        self,
        *,
        conversation_id: str,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> StopTurnResponse:
        """Stops the turn that is running or waiting. The partial reply is stored and open calls are cancelled.
        Responds when the run has ended; 200 also if no turn was active.
        """
        path = f"/v1/runner/conversation/{_path(conversation_id)}/stop"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key, "x-environment": environment}
        response: StopTurnResponse = self._json("POST", path, "application/json", query, headers)
        return response

    def rate_message(
        self,
        *,
        body: RateMessageInput,
        conversation_id: str,
        message_id: str,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> RateMessageResponse:
        """Rates a reply: up or down, with an optional comment. The rating replaces an earlier one; null removes
        it. Scope: conversations:write.
        """
        path = f"/v1/runner/conversation/{_path(conversation_id)}/messages/{_path(message_id)}/rating"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: RateMessageResponse = self._json("PUT", path, "application/json", query, headers, body)
        return response

    def list_deployments(
        self,
        *,
        workflow_id: Optional[int] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> ListDeploymentsResponse:
        """Deployments of the workspace, newest first. The response has the cursor of the next page."""
        path = f"/v1/deployments"
        query: Dict[str, Any] = {"workflow_id": workflow_id, "limit": limit, "cursor": cursor}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: ListDeploymentsResponse = self._json("GET", path, "application/json", query, headers)
        return response

    def create_end_user_token(
        self,
        *,
        body: CreateEndUserTokenInput,
        deployment_id: str,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> CreateEndUserTokenResponse:
        """Creates a token with which a user of yours reaches their own conversations with one deployment. Scope:
        end_users:manage.
        """
        path = f"/v1/runner/{_path(deployment_id)}/end-user-tokens"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key, "x-environment": environment}
        response: CreateEndUserTokenResponse = self._json("POST", path, "application/json", query, headers, body)
        return response

    def revoke_end_user_tokens(
        self,
        *,
        body: RevokeEndUserTokensInput,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> RevokeEndUserTokensResponse:
        """Revokes all tokens of a user on every process, and the JWTs that were issued until now. Their open
        streams end. New tokens can be created. Scope: end_users:manage.
        """
        path = f"/v1/end-users/revoke"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key, "x-environment": environment}
        response: RevokeEndUserTokensResponse = self._json("POST", path, "application/json", query, headers, body)
        return response

    def erase_end_user(
        self,
        *,
        body: EraseEndUserInput,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> EraseEndUserResponse:
        """Deletes all data of a user permanently: their tokens, and up to 1,000 conversations per call. Repeat
        it until `isComplete` is true. The audit log gets the counts, and a digest of the user's ID. Scope:
        end_users:manage.
        """
        path = f"/v1/end-users/erase"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key, "x-environment": environment}
        response: EraseEndUserResponse = self._json("POST", path, "application/json", query, headers, body)
        return response

    def list_events(
        self,
        *,
        resource_id: Optional[str] = None,
        type: Optional[List[EventType]] = None,
        include: Optional[List[EventInclude]] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> ListEventsResponse:
        """The event log of the environment, newest first. An event must pass all filters."""
        path = f"/v1/events"
        query: Dict[str, Any] = {"resourceId": resource_id, "type": type, "include": include, "from": from_, "to": to, "limit": limit, "cursor": cursor}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: ListEventsResponse = self._json("GET", path, "application/json", query, headers)
        return response

    def read_event(
        self,
        *,
        id: str,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> ReadEventResponse:
        """An event of the log. Events never change."""
        path = f"/v1/events/{_path(id)}"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: ReadEventResponse = self._json("GET", path, "application/json", query, headers)
        return response

    def export_conversation(
        self,
        *,
        conversation_id: str,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> Iterator[Any]:
        """Exports a conversation with its runs and timeline, and lists its uploaded files. Each event is one
        line: first { type: "export" }, then { type, data } for each row, last { type: "end", counts }.
        Without the last line the export is incomplete. Scope: conversations:read.
        """
        path = f"/v1/conversations/{_path(conversation_id)}/export"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        return self._lines("GET", path, "application/x-ndjson", query, headers)

    def export_environment(
        self,
        *,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> Iterator[Any]:
        """Exports all data of the environment except secrets: resources, integrations, webhook endpoints,
        triggers, published documents, conversations, uploaded files without their bytes, workflow log and
        events, each oldest first. Each event is one line: first { type: "export" }, then { type, data } for
        each row, last { type: "end", counts }. Without the last line the export is incomplete. Needs a
        session of an owner or admin, or a key with all of these scopes: conversations:read, resources:read,
        events:read, triggers:read, workflows:read, integrations:manage, webhooks:manage, documents:read.
        """
        path = f"/v1/export"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        return self._lines("GET", path, "application/x-ndjson", query, headers)

    def create_upload(
        self,
        *,
        body: CreateUploadInput,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> CreateUploadResponse:
        """Starts the upload of a file, and returns a URL for its bytes. The file can be used when its bytes are
        complete and checked. Scope: conversations:write.
        """
        path = f"/v1/uploads"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key, "x-environment": environment}
        response: CreateUploadResponse = self._json("POST", path, "application/json", query, headers, body)
        return response

    def complete_upload(
        self,
        *,
        body: CompleteUploadInput,
        file_id: str,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> File:
        """Checks an upload whose bytes have been sent, and makes its file usable. Needed if the upload is not
        resumable; for other uploads it changes nothing. Scope: conversations:write.
        """
        path = f"/v1/uploads/{_path(file_id)}/complete"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key, "x-environment": environment}
        response: File = self._json("POST", path, "application/json", query, headers, body)
        return response

    def read_file(
        self,
        *,
        file_id: str,
        conversation_id: Optional[str] = None,
        deployment_id: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> File:
        """An uploaded file, with a URL for its bytes. Callers without credentials name the conversation that
        uses it, or the deployment of their own upload. Scope: conversations:read.
        """
        path = f"/v1/files/{_path(file_id)}"
        query: Dict[str, Any] = {"conversation_id": conversation_id, "deployment_id": deployment_id}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: File = self._json("GET", path, "application/json", query, headers)
        return response

    def read_me(
        self,
        *,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> ReadMeResponse:
        """The signed-in member. Needs a session: error session_required for an API key."""
        path = f"/v1/me"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: ReadMeResponse = self._json("GET", path, "application/json", query, headers)
        return response

    def run_once(
        self,
        *,
        body: RunOnceInput,
        deployment_id: str,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> OneShotRun:
        """Replies to one message without a conversation. The model gets no client tools. Scope:
        conversations:write.
        """
        path = f"/v1/runner/{_path(deployment_id)}"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key, "x-environment": environment}
        response: OneShotRun = self._json("POST", path, "application/json", query, headers, body)
        return response

    def run_once_v2(
        self,
        *,
        body: RunOnceInput,
        deployment_id: str,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> OneShotRun:
        """Replies to one message without a conversation. The model gets no client tools. Scope:
        conversations:write.
        """
        path = f"/v2/runner/{_path(deployment_id)}"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key, "x-environment": environment}
        response: OneShotRun = self._json("POST", path, "application/json", query, headers, body)
        return response

    def stream_once(
        self,
        *,
        body: RunOnceInput,
        deployment_id: str,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> Iterator[ServerEvent]:
        """Streams a reply without a conversation: as text, or as server-sent events if the client accepts them.
        If the client disconnects, the run stops and the service stores nothing.
        """
        path = f"/v1/runner/{_path(deployment_id)}/stream"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key, "x-environment": environment}
        return self._events("POST", path, "text/event-stream", query, headers, body)

    def request_password_reset(
        self,
        *,
        body: RequestPasswordResetInput,
        idempotency_key: Optional[str] = None,
    ) -> RequestPasswordResetAccepted:
        """Sends a link that sets a new password, if the email address has an account. The response is always the
        same. Needs no credentials. Too many requests in 15 minutes get 429, per account and per IP address.
        """
        path = f"/v1/password-reset-requests"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key}
        response: RequestPasswordResetAccepted = self._json("POST", path, "application/json", query, headers, body)
        return response

    def reset_password(
        self,
        *,
        body: ResetPasswordInput,
        idempotency_key: Optional[str] = None,
    ) -> ResetPasswordResponse:
        """Sets a new password with the token of a link, once. Ends all sessions of the user. Needs no
        credentials. Too many attempts per minute get 429, per IP address.
        """
        path = f"/v1/password-resets"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key}
        response: ResetPasswordResponse = self._json("POST", path, "application/json", query, headers, body)
        return response

    def list_pending_actions(
        self,
        *,
        deployment_id: Optional[str] = None,
        conversation_id: Optional[str] = None,
        name: Optional[str] = None,
        answerable_by: Optional[CallAnswerer] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> ListPendingActionsResponse:
        """The calls of client tools, and the approvals, that wait for an answer in the environment. Those that
        have waited longest come first.
        """
        path = f"/v1/pending-actions"
        query: Dict[str, Any] = {"deployment_id": deployment_id, "conversation_id": conversation_id, "name": name, "answerable_by": answerable_by, "limit": limit, "cursor": cursor}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: ListPendingActionsResponse = self._json("GET", path, "application/json", query, headers)
        return response

    def list_resources(
        self,
        *,
        type: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> ListResourcesResponse:
        """Resources of the environment, newest first. The response has the cursor of the next page."""
        path = f"/v1/resources"
        query: Dict[str, Any] = {"type": type, "limit": limit, "cursor": cursor}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: ListResourcesResponse = self._json("GET", path, "application/json", query, headers)
        return response

    def create_resource(
        self,
        *,
        body: CreateResourceInput,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> CreateResourceResponse:
        """Creates a resource. Logs the event resource.created. Scope: resources:write."""
        path = f"/v1/resources"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key, "x-environment": environment}
        response: CreateResourceResponse = self._json("POST", path, "application/json", query, headers, body)
        return response

    def read_resource(
        self,
        *,
        id: str,
        if_none_match: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> ReadResourceResponse:
        """A resource. With If-None-Match, the response is 304 if the resource has not changed."""
        path = f"/v1/resources/{_path(id)}"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"If-None-Match": if_none_match, "x-environment": environment}
        response: ReadResourceResponse = self._json("GET", path, "application/json", query, headers)
        return response

    def update_resource(
        self,
        *,
        body: UpdateResourceInput,
        id: str,
        if_match: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> UpdateResourceResponse:
        """Changes fields of a resource. Logs the event resource.updated, unless nothing changed. Scope:
        resources:write.
        """
        path = f"/v1/resources/{_path(id)}"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"If-Match": if_match, "x-environment": environment}
        response: UpdateResourceResponse = self._json("PATCH", path, "application/json", query, headers, body)
        return response

    def delete_resource(
        self,
        *,
        id: str,
        if_match: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> None:
        """Deletes a resource. Logs the event resource.deleted."""
        path = f"/v1/resources/{_path(id)}"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"If-Match": if_match, "x-environment": environment}
        self._json("DELETE", path, "application/json", query, headers)

    def sign_in(
        self,
        *,
        body: SignInInput,
        idempotency_key: Optional[str] = None,
    ) -> SignInResponse:
        """Signs a member in. Needs no credentials. Too many attempts per minute get 429, per account and per IP
        address.
        """
        path = f"/v1/sessions"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key}
        response: SignInResponse = self._json("POST", path, "application/json", query, headers, body)
        return response

    def sign_out(
        self,
        *,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> None:
        """Ends the session of this request, on every process. The response also clears the session cookie."""
        path = f"/v1/sessions/current"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        self._json("DELETE", path, "application/json", query, headers)

    def complete_sign_in(
        self,
        *,
        body: CompleteSignInInput,
        idempotency_key: Optional[str] = None,
    ) -> CompleteSignInResponse:
        """Proves the second factor of a sign-in, and creates the session. Needs no credentials. Too many
        attempts get 429, per
        account and per IP address.
        """
        path = f"/v1/sessions/second-factor"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key}
        response: CompleteSignInResponse = self._json("POST", path, "application/json", query, headers, body)
        return response

    def read_run_trace(
        self,
        *,
        run_id: str,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> ReadRunTraceResponse:
        """What happened in a turn: its model steps and calls of server tools, with prompts, answers, arguments
        and results. Returns 404 if the trace has expired, or if the environment keeps no traces.
        """
        path = f"/v1/runs/{_path(run_id)}/trace"
        query: Dict[str, Any] = {"limit": limit, "cursor": cursor}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: ReadRunTraceResponse = self._json("GET", path, "application/json", query, headers)
        return response

    def create_trigger(
        self,
        *,
        body: CreateTriggerInput,
        deployment_id: str,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> Trigger:
        """Creates a trigger for a deployment. Scope: triggers:write."""
        path = f"/v1/runner/{_path(deployment_id)}/trigger"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key, "x-environment": environment}
        response: Trigger = self._json("POST", path, "application/json", query, headers, body)
        return response

    def read_trigger(
        self,
        *,
        deployment_id: str,
        trigger_id: str,
    ) -> Trigger:
        """A trigger. Needs no credentials, only its ID. It changes nothing."""
        path = f"/v1/runner/{_path(deployment_id)}/trigger/{_path(trigger_id)}"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {}
        response: Trigger = self._json("GET", path, "application/json", query, headers)
        return response

    def list_triggers(
        self,
        *,
        deployment_id: str,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> ListTriggersResponse:
        """Triggers of a deployment, newest first. Scope: triggers:read."""
        path = f"/v1/runner/{_path(deployment_id)}/triggers"
        query: Dict[str, Any] = {"page": page, "page_size": page_size}
        headers: Dict[str, Optional[str]] = {"x-environment": environment}
        response: ListTriggersResponse = self._json("GET", path, "application/json", query, headers)
        return response

    def set_trigger_required(
        self,
        *,
        body: SetTriggerRequiredInput,
        workflow_id: int,
        idempotency_key: Optional[str] = None,
        environment: Optional[Literal["live", "test"]] = None,
    ) -> SetTriggerRequiredResponse:
        """Sets whether turns of the workflow's deployments must start from a trigger. Takes effect with the next
        request. Scope: workflows:write.
        """
        path = f"/v1/workflow/{_path(workflow_id)}/trigger-settings"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {"Idempotency-Key": idempotency_key, "x-environment": environment}
        response: SetTriggerRequiredResponse = self._json("POST", path, "application/json", query, headers, body)
        return response

    def read_widget_meta(
        self,
        *,
        deployment_id: str,
    ) -> ReadWidgetMetaResponse:
        """Public facts about a published deployment. Needs no credentials."""
        path = f"/v1/runner/{_path(deployment_id)}/widget-meta"
        query: Dict[str, Any] = {}
        headers: Dict[str, Optional[str]] = {}
        response: ReadWidgetMetaResponse = self._json("GET", path, "application/json", query, headers)
        return response
