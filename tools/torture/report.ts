import { availableParallelism } from 'node:os';
import type { Journal } from './journal.ts';
import type { TortureOptions } from './plan.ts';
import type { Outcome } from './run.ts';

/** The parameters and results of a run, in Markdown. */
export function reportOf(options: TortureOptions, outcome: Outcome, tookMs: number): string {
  const { journal, versions } = outcome;
  const { failed } = journal;
  return [
    '# Torture test',
    '',
    `Written by \`npm run torture${options.recovery === 'continue' ? ' -- --recovery continue' : ''}\`.`,
    '',
    `- Seed ${options.seed}, ${minutes(options.forMs)} minutes of load and disruptions, ${minutes(tookMs)} minutes with the checks, database ${options.database}${options.redis ? ' with Redis' : ''}`,
    `- ${availableParallelism()} cores, ${Object.entries(versions)
      .map((version) => version.join(' '))
      .join(', ')}`,
    `- ${sum(journal.outcomes)} requests in ${outcome.actions} actions, ${journal.conversations.size} conversations, ${outcome.watched} of them watched, ${outcome.reconnects} reconnections of log followers`,
    `- **${failed === 0 ? 'No violation' : `${failed} violations`}**${outcome.dataLocation ? `; the data is kept in ${outcome.dataLocation}` : ''}`,
    '',
    '## Disruptions',
    '',
    ...table(['disruption', 'count'], [...journal.disruptions].sort()),
    '',
    ...measurements(journal),
    '## Requests',
    '',
    ...table(['request', 'outcomes'], requests(journal)),
    '',
    ...checks(journal),
  ].join('\n');
}

/** The evaluated checks, and the violations. */
export function checks(journal: Journal): string[] {
  return [
    '## Checks',
    '',
    ...table(
      ['check', 'evaluations', 'violations'],
      [...journal.checks].map(([name, { asked: requested, failed: bad }]) => [name, requested, bad]),
    ),
    '',
    ...violations(journal),
  ];
}

export function measurements({ measured }: Journal): string[] {
  return measured.size === 0 ? [] : ['## Measurements', '', ...table(['measurement', 'value'], [...measured]), ''];
}

function minutes(ms: number): string {
  return (ms / 60_000).toFixed(1);
}

function sum(outcomes: Journal['outcomes']): number {
  return [...outcomes.values()].flatMap((counts) => [...counts.values()]).reduce((total, count) => total + count, 0);
}

function requests({ outcomes }: Journal): string[][] {
  return [...outcomes].sort().map(([kind, counts]) => [
    kind,
    [...counts]
      .sort((a, b) => b[1] - a[1])
      .map(([outcome, count]) => `${count} × ${outcome}`)
      .join(', '),
  ]);
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function violations({ violations: match }: Journal): string[] {
  if (match.length === 0) return [];
  return [
    '## Violations',
    '',
    ...match.map(({ check, detail }) => `- ${check}:\n\n  \`\`\`\n  ${detail.replaceAll('\n', '\n  ')}\n  \`\`\``),
    '',
  ];
}
