/** Something that must not be. */
export interface Violation {
  readonly check: string;
  readonly detail: string;
}

/** What a client knows of a message that it sent. */
export interface SentTurn {
  /** In its text, and in that of no other. */
  readonly tag: string;
  /** accepted: the service said so. refused: it said that nothing came of it. lost: nobody knows. */
  readonly fate: 'accepted' | 'refused' | 'lost';
  readonly conversationId: string | undefined;
  /** How often it was sent, under one key. */
  readonly attempts: number;
}

/** A reply as its client was given it. */
export interface GivenReply {
  readonly conversationId: string;
  readonly text: string;
}

/** A streamed reply whose reader went away, or was cut off. */
export interface CutStream {
  readonly conversationId: string;
  readonly runId: string;
  readonly whole: string;
  readonly read: string;
}

/** Results of a round that the service said it had taken. */
export interface TakenRound {
  readonly conversationId: string;
  readonly outputs: ReadonlyMap<string, object>;
}

/** What must be left of a resource. */
export interface KnownResource {
  readonly id: string;
  readonly tag: string;
  /** Null once it is deleted. */
  fields: Readonly<Record<string, unknown>> | null;
}

/** Messages that came one after another while a turn was running. */
export interface Queue {
  readonly conversationId: string;
  readonly tags: readonly string[];
}

/** Violations kept in words; the others are only counted. */
const MOST_TOLD = 200;

/** What clients did and were told, and what was found wrong. */
export class Journal {
  readonly violations: Violation[] = [];
  /** Violations of each check, and how often it was asked. */
  readonly checks = new Map<string, { asked: number; failed: number }>();
  /** Outcomes of requests by their kind. */
  readonly outcomes = new Map<string, Map<string, number>>();
  readonly strikes = new Map<string, number>();
  readonly turns: SentTurn[] = [];
  readonly replies: GivenReply[] = [];
  readonly streams: CutStream[] = [];
  readonly rounds: TakenRound[] = [];
  readonly queues: Queue[] = [];
  readonly triggers = new Map<string, string | null>();
  readonly oneShots: number[] = [];
  readonly resources: KnownResource[] = [];
  /** Resources of which at most one may be: their requests were lost, or a tool made them. */
  readonly maybeResources: string[] = [];
  /** Ids of events, in the order in which each of those was told of them who followed the log. */
  readonly followed = new Map<string, readonly string[]>();
  /** Each conversation that was told of, and its deployment. */
  readonly conversations = new Map<string, string>();

  check(name: string, holds: boolean, detail: () => string): boolean {
    const counts = this.checks.get(name) ?? { asked: 0, failed: 0 };
    this.checks.set(name, counts);
    counts.asked += 1;
    if (holds) return true;
    counts.failed += 1;
    if (this.violations.length < MOST_TOLD) {
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

  struck(kind: string): void {
    this.strikes.set(kind, (this.strikes.get(kind) ?? 0) + 1);
  }

  get failed(): number {
    return [...this.checks.values()].reduce((sum, { failed }) => sum + failed, 0);
  }
}
