/** A failed check. */
export interface Violation {
  readonly check: string;
  readonly detail: string;
}

/** The client's knowledge of a message that it sent. */
export interface SentTurn {
  /** Unique to its text. */
  readonly tag: string;
  /** accepted: acknowledged by the service. rejected: refused by the service. lost: unknown. */
  readonly outcome: 'accepted' | 'rejected' | 'lost';
  readonly conversationId: string | undefined;
  /** How often it was sent with the same key. */
  readonly attempts: number;
}

/** A reply in the view of its client. */
export interface ReceivedReply {
  readonly conversationId: string;
  readonly text: string;
}

/** A streamed reply whose client disconnected or lost the connection. */
export interface AbandonedStream {
  readonly conversationId: string;
  readonly runId: string;
  readonly whole: string;
  readonly read: string;
}

/** The acknowledged results of a round. */
export interface AcceptedRound {
  readonly conversationId: string;
  readonly outputs: ReadonlyMap<string, object>;
}

/** The expected state of a resource. */
export interface KnownResource {
  readonly id: string;
  readonly tag: string;
  /** Null after its deletion. */
  fields: Readonly<Record<string, unknown>> | null;
}

/** A turn that must complete with this reply if the service accepted it, with or without its client. */
export interface ContinuedTurn {
  readonly tag: string;
  readonly reply: string | undefined;
}

/** Messages during a running turn, in their order. */
export interface Queue {
  readonly conversationId: string;
  readonly tags: readonly string[];
}

/** A message of a member in the view of that member. */
export type SentMemberMessage = Omit<SentTurn, 'attempts'>;

/** The maximum number of violations with details. The others are only counted. */
const MAX_VIOLATIONS = 200;

/** The actions of the clients, their responses, and the violations. */
export class Journal {
  readonly violations: Violation[] = [];
  /** How often each check was evaluated, and how often it failed. */
  readonly checks = new Map<string, { asked: number; failed: number }>();
  /** The outcomes of requests by kind. */
  readonly outcomes = new Map<string, Map<string, number>>();
  readonly disruptions = new Map<string, number>();
  /** Numbers for the report. */
  readonly measured = new Map<string, string | number>();
  readonly turns: SentTurn[] = [];
  readonly replies: ReceivedReply[] = [];
  readonly streams: AbandonedStream[] = [];
  readonly rounds: AcceptedRound[] = [];
  readonly queues: Queue[] = [];
  readonly continued: ContinuedTurn[] = [];
  /** Acknowledged messages of one sender, in their order. */
  readonly senders: Queue[] = [];
  readonly memberMessages: SentMemberMessage[] = [];
  /** Conversations that were finally handed back, for an answer to their last message. */
  readonly handedBack = new Set<string>();
  readonly triggers = new Map<string, string | null>();
  readonly oneShots: number[] = [];
  readonly resources: KnownResource[] = [];
  /** Resources that may exist at most once: their requests were lost, or a tool created them. */
  readonly uncertainResources: string[] = [];
  /** The event IDs that each follower of the log received, in order. */
  readonly followed = new Map<string, readonly string[]>();
  /** Each known conversation and its deployment. */
  readonly conversations = new Map<string, string>();

  check(name: string, holds: boolean, detail: () => string): boolean {
    const counts = this.checks.get(name) ?? { asked: 0, failed: 0 };
    this.checks.set(name, counts);
    counts.asked += 1;
    if (holds) return true;
    counts.failed += 1;
    if (this.violations.length < MAX_VIOLATIONS) {
      const violation = { check: name, detail: detail().slice(0, 4_000) };
      this.violations.push(violation);
      console.error(`VIOLATION ${name}: ${violation.detail}`);
    }
    return false;
  }

  count(kind: string, outcome: string): void {
    const outcomes = this.outcomes.get(kind) ?? new Map<string, number>();
    this.outcomes.set(kind, outcomes);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }

  countDisruption(kind: string): void {
    this.disruptions.set(kind, (this.disruptions.get(kind) ?? 0) + 1);
  }

  get failed(): number {
    return [...this.checks.values()].reduce((sum, { failed }) => sum + failed, 0);
  }
}
