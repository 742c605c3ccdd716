import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VARIABLES } from '../src/config/variables.ts';

const HEADER = `# The environment variables of Parley, with their defaults. npm run env-example writes this file.
# docs/configuration.md describes them. Parley reads the environment, not this file: node --env-file=.env dist/main.js
`;

/** The text of `.env.example`: one commented assignment per variable. */
export function envExample(): string {
  const entries = Object.entries(VARIABLES).map(([name, { meaning, accepts, required, fallback, ...variable }]) => {
    const rules = [`Accepts ${accepts}.`];
    if (required) rules.push(`Required if ${required.condition}.`);
    if (fallback) rules.push(`If not set: ${fallback}.`);
    return `# ${meaning}\n# ${rules.join(' ')}\n# ${name}=${variable.default ?? ''}\n`;
  });
  return [HEADER, ...entries].join('\n');
}

if (import.meta.filename === process.argv[1]) {
  writeFileSync(join(import.meta.dirname, '../.env.example'), envExample());
}
