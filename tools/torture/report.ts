import type { Journal } from './journal.ts';
import type { TortureOptions } from './plan.ts';
import type { Outcome } from './run.ts';

/** What a run was and what it found, in Markdown. */
export function reportOf(options: TortureOptions, outcome: Outcome, tookMs: number): string {
  const { journal, versions } = outcome;
  const { failed } = journal;
  return [
    '# Torture',
    '',
    'Written by `npm run torture`.',
    '',
    `- Seed ${options.seed}, ${minutes(options.forMs)} minutes of load and strikes, ${minutes(tookMs)} with the checks, database ${options.database}${options.redis ? ' with Redis' : ''}`,
    `- ${Object.entries(versions)
      .map((version) => version.join(' '))
      .join(', ')}`,
    `- ${sum(journal.outcomes)} requests in ${outcome.moves} moves, ${journal.conversations.size} conversations, ${outcome.watched} of them watched; ${outcome.reconnects} times a follower of the log came back`,
    `- **${failed === 0 ? 'No violation' : `${failed} violations`}**${outcome.kept ? `; the data is kept in ${outcome.kept}` : ''}`,
    '',
    '## Strikes',
    '',
    ...table(['strike', 'times'], [...journal.strikes].sort()),
    '',
    '## Requests',
    '',
    ...table(['request', 'outcomes'], requests(journal)),
    '',
    '## Checks',
    '',
    ...table(
      ['check', 'asked', 'violations'],
      [...journal.checks].map(([name, { asked, failed: bad }]) => [name, asked, bad]),
    ),
    '',
    ...violations(journal),
  ].join('\n');
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

function violations({ violations: found }: Journal): string[] {
  if (found.length === 0) return [];
  return [
    '## Violations',
    '',
    ...found.map(({ check, detail }) => `- ${check}:\n\n  \`\`\`\n  ${detail.replaceAll('\n', '\n  ')}\n  \`\`\``),
    '',
  ];
}
