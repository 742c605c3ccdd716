import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEMPLATES } from '../../src/web/dashboard/workflows/templates.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Workflows, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let flows: Workflows;
beforeAll(async () => {
  service = await startService();
  flows = workflowsOf(service);
});
afterAll(() => service.close());

describe('the templates of workflows', () => {
  it.each(TEMPLATES.map((template) => [template.id, template] as const))(
    '%s is a valid draft',
    async (_id, template) => {
      const { workflowId } = resultOf(
        await flows.createWorkflow({ input: { name: template.title, draft: template.draft } }),
      );
      const { draft } = resultOf(await flows.workflow({ id: workflowId }));
      expect(draft).toMatchObject(JSON.parse(JSON.stringify(template.draft)));
    },
  );

  it('have different IDs and titles', () => {
    expect(new Set(TEMPLATES.map(({ id }) => id)).size).toBe(TEMPLATES.length);
    expect(new Set(TEMPLATES.map(({ title }) => title)).size).toBe(TEMPLATES.length);
  });
});
