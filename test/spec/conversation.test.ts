import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('SPEC 4.4: an ordinary turn', () => {
  it('starts a conversation and answers every field of the turn response', async () => {
    const { status, body } = await service.chat('Hello');
    expect(status).toBe(200);
    expect(body).toEqual({
      conversation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'active',
      completed_at: null,
      name: 'Hello',
      content: 'You said: Hello',
      model: 'demo',
      input_tokens: expect.any(Number),
      output_tokens: 3,
      response_time: expect.any(Number),
      request_id: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
  });
});
