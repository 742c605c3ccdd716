/** The IDs of the document's examples. The deployments exist after the first start, all others are fictitious. */
export const EXAMPLE_IDS = {
  chat: '00000000-0000-4000-8000-000000000001',
  agent: '00000000-0000-4000-8000-000000000002',
  chatConversation: '7d0e6f3c-51c4-4b8a-9f0b-2f6f0a8a1c55',
  agentConversation: '9b2f4c1e-0d3a-4f57-8c61-4a7e2d9f3b10',
  /** A conversation that a person has. */
  handledConversation: 'e3b1d0a4-6c2f-4f18-9b57-0d9c8e7f6a21',
  run: '1c6a0f52-7b1e-4d0f-9a55-3f0c2b8e6d71',
  call: 'call_4f8e2a',
  trigger: 'q3XbT0aZ',
  workflow: 1,
  /** A workflow, a deployment and a trigger that nothing uses, so that they can be deleted. */
  unusedWorkflow: 42,
  unusedDeployment: 'c4b8e1d2-5f60-4a7b-9c3e-2d1f0a8b6e94',
  unusedTrigger: 'Zk81mWqT',
  workflowLog: 176_991_500_000_042,
  resource: 'res_01k9z3v8c0f6t8r5m2q7x4y1cd',
  event: 'evt_01k9z3v8c0f6t8r5m2q7x4y1ab',
  file: 'file_01k9z3v8c0f6t8r5m2q7x4y1mn',
  integration: 'int_01k9z3v8c0f6t8r5m2q7x4y1ef',
  budget: 'bud_01k9z3v8c0f6t8r5m2q7x4y1pr',
  endpoint: 'whk_01k9z3v8c0f6t8r5m2q7x4y1gh',
  /** The number of a reply. */
  reply: 8_143_021,
  message: 'msg_01k9z3v8c0f6t8r5m2q7x4y1jk',
  user: '5e0f8a3d-2c74-4c1b-8f6e-9d1a7b3c5e20',
  workspace: '3a9d7c15-6e2b-4f80-b1d4-8c5f0e7a2b96',
  request: '6f1d2b7c-8a90-4e35-9c4d-1b0e5a7f3d28',
} as const;

/** When the objects of the examples were created, and when they last changed. */
export const EXAMPLE_TIMES = {
  created: '2026-01-31T09:30:00.000Z',
  updated: '2026-01-31T09:30:01.240Z',
  expires: '2026-02-02T09:30:00.000Z',
} as const;
