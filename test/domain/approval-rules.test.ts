import { describe, expect, it } from 'vitest';
import { approvalOf } from '../../src/domain/actions/approval.ts';
import { workflowConfig } from '../../src/domain/workflows/config.ts';

const tool = (own: string, name = `crm_${own.replaceAll(/\W/g, '_')}`) =>
  ({ kind: 'action', name, source: { server: 'crm', tool: own } }) as const;

const configured = (mode: 'always' | 'never', rules: readonly object[]) =>
  workflowConfig.parse({ mcpServers: [{ name: 'crm', integration: 'CRM', approval: { mode } }], toolApprovals: rules });

describe('the approval rule of a tool of an MCP server', () => {
  it('has the own name of the tool, so that no tool with the same name for the model shares it', () => {
    const config = configured('always', [{ tool: 'crm_a_b', mode: 'never' }]);
    expect(approvalOf(config, tool('a_b'), {})).toBeUndefined();
    expect(approvalOf(config, tool('a.b'), {})?.mode).toBe('always');
    const own = configured('always', [{ tool: 'crm_a.b', mode: 'never' }]);
    expect(approvalOf(own, tool('a.b'), {})).toBeUndefined();
    expect(approvalOf(own, tool('a_b'), {})?.mode).toBe('always');
  });

  it('of an earlier release, by the name for the model, can only add an approval', () => {
    const config = configured('never', [{ tool: 'crm_a_b', mode: 'always' }]);
    expect(approvalOf(config, tool('a.b'), {})?.mode).toBe('always');
  });

  it('asks members by default', () => {
    expect(approvalOf(configured('always', []), tool('a'), {})?.approver).toBe('member');
  });
});
