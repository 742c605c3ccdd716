import type { AuthorKind, CallStatus, HandlingMode } from '../../../contract/statuses.ts';
import type { OperationContext } from '../../../operation/context.ts';
import type { JsonObject } from '../builder.ts';
import type { ReturnedError } from '../errors.ts';

/** Facts of the errors of turns, with the names of the REST API. */
export interface Facts {
  readonly run_id?: string | null;
  readonly conversation_id?: string;
  readonly completed_at?: string | null;
  readonly trigger_id?: string;
  readonly expires_at?: string | null;
  readonly call_ids?: readonly string[];
  readonly superseded_by?: string | null;
  readonly effects?: readonly { call_id: string; name: string; status: CallStatus }[];
  readonly effect_count?: number;
  readonly handling?: HandlingMode;
  readonly author?: { readonly display_name: string; readonly kind: AuthorKind };
  readonly since?: string;
  readonly pending_client_actions?: readonly {
    call_id: string;
    name: string;
    arguments: JsonObject;
    expires_at?: string;
  }[];
}

export const dateOrNull = (text: string | null | undefined) => (text ? new Date(text) : null);

export function factsOf({ error }: ReturnedError): Facts {
  return (error.details.facts ?? {}) as Facts;
}

export const UNREADABLE =
  'Null: it was deleted, or the caller has no credentials or lacks the scope conversations:read.';

/** The error tells callers without credentials only the ID, because its conversation can belong to another visitor. */
export function isReader({ caller }: OperationContext): boolean {
  return caller?.kind !== 'anonymous' && caller?.scopes.has('conversations:read') === true;
}
