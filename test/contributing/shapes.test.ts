import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInputObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { internalSchema } from '../../src/graphql/schema/schema.ts';
import { ENVIRONMENT_LIMITS } from '../../src/shapes/environment.ts';
import { mapFields, type Shape } from '../../src/shapes/field.ts';
import { DEPLOYMENT_SETTINGS, DRAFT_SETTINGS, WORKFLOW_DRAFT } from '../../src/shapes/workflows.ts';
import { ROOT } from '../support/database.ts';
import { filesOf } from '../support/imports.ts';

const SHAPES: readonly (readonly [string, string, Shape])[] = [
  ['src/shapes/deployment.ts', 'Deployment', DEPLOYMENT_SETTINGS],
  ['src/shapes/environment.ts', 'Environment', ENVIRONMENT_LIMITS],
];

interface Column {
  readonly type: string;
  readonly byDefault: string | undefined;
}

/** The columns of a model in `prisma/schema.prisma`, by field. */
function columnsOf(model: string): ReadonlyMap<string, Column> {
  const schema = readFileSync(join(ROOT, 'prisma/schema.prisma'), 'utf8');
  const [, body = ''] = new RegExp(`^model ${model} \\{\n([\\s\\S]*?)^\\}`, 'm').exec(schema) ?? [];
  const lines = [...body.matchAll(/^ {2}(\w+) +(\S+)(.*)$/gm)];
  return new Map(
    lines.map(([, name = '', type = '', rest = '']) => [
      name,
      { type, byDefault: /@default\(([^)]*)\)/.exec(rest)?.[1] },
    ]),
  );
}

/** What the column of a setting must be. An enum has its own type. */
function expectedColumns(shape: Shape): Readonly<Record<string, unknown>> {
  return mapFields(shape, ({ kind, byDefault }) => {
    if (kind === 'flag') return { type: 'Boolean', byDefault: String(byDefault) };
    if (kind === 'choice') return { type: expect.stringMatching(/^\w+$/), byDefault };
    if (kind === 'object') return { type: 'Json?', byDefault: undefined };
    return kind === 'integer' ? { type: 'Int?', byDefault: undefined } : { type: 'String[]', byDefault: '[]' };
  });
}

describe.each(SHAPES)('the settings of %s', (file, model, shape) => {
  it(`have columns of the same name, type and default in the model ${model} of prisma/schema.prisma`, () => {
    const columns = columnsOf(model);
    const found = mapFields(shape, (_field, name) => columns.get(name) ?? `no column: add ${name} of ${file}`);
    expect(found).toEqual(expectedColumns(shape));
  });
});

/** The settings that people change in a form of the dashboard, with the folder of its controls. */
const FORMS: readonly (readonly [string, Shape])[] = [
  ['src/web/dashboard/deployments', DEPLOYMENT_SETTINGS],
  ['src/web/dashboard/workflows', WORKFLOW_DRAFT.fields],
];

describe.each(FORMS)('the forms in %s', (folder, shape) => {
  const code = filesOf(folder)
    .map(({ text }) => text)
    .join('\n');

  it('have a title and a control for each setting', () => {
    const faults = Object.entries(shape).flatMap(([name, { title }]) => [
      ...(title ? [] : [`${name}: add its title to src/shapes`]),
      ...(hasControl(code, name) ? [] : [`${name}: add its control to ${folder}`]),
    ]);
    expect(faults).toEqual([]);
  });
});

describe('The table of changes', () => {
  it('has the titles of all settings of a draft', () => {
    // A copy: with the shapes, the script of the workflow page would be larger than its limit.
    const table = readFileSync(join(ROOT, 'src/web/dashboard/version-changes/change-table.tsx'), 'utf8');
    const entry = /^ {2}(\w+): '(.*)',$/gm;
    const titles = Object.fromEntries([...table.matchAll(entry)].map(([, name, title]) => [name, title]));
    expect(titles).toEqual(mapFields(DRAFT_SETTINGS, ({ title }) => title));
  });
});

/** Controls have the name of their setting as a property, or by the helper for settings. */
function hasControl(code: string, name: string): boolean {
  return new RegExp(`setting\\(\\s*'${name}'|name="${name}"|name: '${name}'`).test(code);
}

/** Files that bound a field with `LIMITS` instead of a shape, and how often. The numbers only get smaller. */
const OWN_BOUNDS: Readonly<Record<string, number>> = {
  'src/domain/agent/tools/decision.ts': 1,
  'src/web/calls/forms/upload-rules.ts': 1,
  // With the shapes of these forms, the page of a workflow would have more parts than its size allows.
  'src/web/dashboard/integrations/integration-dialogs.tsx': 4,
  'src/web/dashboard/triggers/create-trigger.tsx': 2,
  'src/web/dashboard/workflows/create-workflow.tsx': 1,
};

/** Bounds in OpenAPI that no shape has: those of arguments. */
const OWN_LIMITS = ['first', 'last', 'page', 'pageSize', 'events.types'];

const BOUND_TEXT = /[\d,]+ to [\d,]+|at most [\d,]+/i;

const BOUND_CODE =
  /\b(?:atMost|optionalText|requiredText|optionalInteger|requiredNumber)\([^)]*LIMITS\.|\.(?:min|max)\(LIMITS\.|z\.(?:minLength|maxLength|minimum|maximum)\(LIMITS\./g;

describe('A second declaration of bounds', () => {
  it('is not in an input of the GraphQL schema', () => {
    const own = Object.values(internalSchema.getTypeMap())
      .filter(isInputObjectType)
      .filter((type) =>
        Object.values(type.getFields()).some(
          ({ description, extensions }) => !extensions.bounds && BOUND_TEXT.test(description ?? ''),
        ),
      );
    expect(own.map(({ name }) => name)).toEqual([]);
  });

  it('is not in a rule of the domain, the configuration file or a form', () => {
    const counts = filesOf('src/domain', 'src/cli', 'src/web')
      .map(({ path, text }) => [path, text.match(BOUND_CODE)?.length ?? 0] as const)
      .filter(([, count]) => count > 0);
    expect(Object.fromEntries(counts)).toEqual(OWN_BOUNDS);
  });

  it('is not in the code of OpenAPI', () => {
    const text = readFileSync(join(ROOT, 'src/rest/openapi-limits.ts'), 'utf8');
    const rows = [...text.matchAll(/^ {2}'?([\w.]+)'?: [A-Z{]/gm)].map(([, name]) => name);
    expect(rows).toEqual(OWN_LIMITS);
  });
});
