import { describe, expect, it } from 'vitest';
import type { ModelCall, ModelMessage, ModelRequest, ModelStep } from '../../src/domain/agent/model-port.ts';
import { demoModel } from '../../src/model/demo-model.ts';

function aRequest(messages: readonly ModelMessage[], instructions = ''): ModelRequest {
  const { signal } = new AbortController();
  return { model: 'demo', instructions, messages, tools: [], timeoutMs: 10_000, signal };
}

function stepOf(text: string, ...before: ModelMessage[]): Promise<ModelStep> {
  return demoModel.step(aRequest([...before, user(text)]));
}

function user(content: string): ModelMessage {
  return { role: 'user', content };
}

/** The messages that the engine adds after a step: its reply, and the results of its calls. */
function afterwards({ text, calls }: ModelStep, output: (call: ModelCall) => unknown): ModelMessage[] {
  const ids = calls.map((call, index) => ({ toolCallId: `call_${index}`, toolName: call.name, call }));
  return [
    {
      role: 'assistant',
      content: [
        { type: 'text', text },
        ...ids.map(({ call, ...id }) => ({ type: 'tool-call' as const, ...id, input: call.arguments })),
      ],
    },
    {
      role: 'tool',
      content: ids.map(({ call, ...id }) => ({
        type: 'tool-result' as const,
        ...id,
        // The tests return nothing but JSON.
        output: { type: 'json' as const, value: output(call) as string },
      })),
    },
  ];
}

/** Plays a script like the engine, until a step calls nothing, and returns the steps. */
async function play(script: string, output: (call: ModelCall) => unknown = () => 'ok'): Promise<ModelStep[]> {
  const messages = [user(script)];
  const steps: ModelStep[] = [];
  for (;;) {
    const step = await demoModel.step(aRequest(messages));
    steps.push(step);
    if (step.calls.length === 0) return steps;
    messages.push(...afterwards(step, output));
  }
}

describe('plain text', () => {
  it.each(['Hello', ' two  lines\nwith spaces ', '50 /say', ''])('is repeated: "%s"', async (text) => {
    expect((await stepOf(text)).text).toBe(text === '' ? 'You said:' : `You said: ${text}`);
  });

  it('repeats only the last user message', async () => {
    const before: ModelMessage[] = [user('/call old'), { role: 'assistant', content: 'Done.' }];
    expect((await stepOf('Hello', ...before)).text).toBe('You said: Hello');
  });

  it.each([
    [1, 'You said: look\nhere (1 file)'],
    [2, 'You said: look\nhere (2 files)'],
  ])('is joined from its parts, with a mention of its files (%i)', async (count, text) => {
    const files = Array.from(
      { length: count },
      () => ({ type: 'file', data: 'AAAA', mediaType: 'image/png' }) as const,
    );
    const parts = [{ type: 'text', text: 'look' } as const, ...files, { type: 'text', text: 'here' } as const];
    expect((await demoModel.step(aRequest([{ role: 'user', content: parts }]))).text).toBe(text);
  });
});

describe('a script', () => {
  it('writes a text', async () => {
    expect(await play('/say Hello there')).toMatchObject([{ text: 'Hello there', calls: [] }]);
  });

  it('ends with the first step without a call', async () => {
    expect(await play('/say one\n/say two')).toMatchObject([{ text: 'one' }]);
  });

  it('calls a tool with or without arguments', async () => {
    expect((await stepOf('/call find {"q": "a && b", "n": 2}')).calls).toEqual([
      { name: 'find', arguments: { q: 'a && b', n: 2 } },
    ]);
    expect((await stepOf('/call find')).calls).toEqual([{ name: 'find', arguments: {} }]);
  });

  it('asks one question of each type', async () => {
    const [call] = (await stepOf('/ask')).calls;
    expect(call).toMatchObject({
      name: 'ask_user',
      arguments: {
        questions: [
          { id: expect.any(String), question: expect.any(String), input_type: 'text' },
          { input_type: 'single_select', options: expect.arrayContaining([expect.any(String)]) },
          { input_type: 'multi_select', options: expect.arrayContaining([expect.any(String)]) },
        ],
      },
    });
  });

  it('asks for a document', async () => {
    expect((await stepOf('/upload')).calls).toEqual([
      { name: 'upload_document', arguments: { prompt: 'Please upload a document.', multiple: true } },
    ]);
    expect((await stepOf('/upload Your passport, please')).calls).toMatchObject([
      { name: 'upload_document', arguments: { prompt: 'Your passport, please' } },
    ]);
  });

  it('completes the conversation', async () => {
    expect((await stepOf('/complete')).calls).toEqual([{ name: 'complete_conversation', arguments: {} }]);
    expect((await stepOf('/complete All settled')).calls).toEqual([
      { name: 'complete_conversation', arguments: { summary: 'All settled' } },
    ]);
  });

  it('runs commands joined by && in one step', async () => {
    expect(await stepOf('/say Wait && /call a {"x":1} && /say please && /call b')).toMatchObject({
      text: 'Wait\nplease',
      calls: [
        { name: 'a', arguments: { x: 1 } },
        { name: 'b', arguments: {} },
      ],
    });
  });

  it('continues with its next line after the results of its calls', async () => {
    const steps = await play('/call a\n\n  /say and && /call b\n/say done\n/say never');
    expect(steps.map(({ text, calls }) => [text, ...calls.map((call) => call.name)])).toEqual([
      ['', 'a'],
      ['and', 'b'],
      ['done'],
    ]);
  });

  it('restarts with every user message', async () => {
    const first = await stepOf('/call a\n/say first');
    const before = [user('/call a\n/say first'), ...afterwards(first, () => 'ok')];
    expect((await stepOf('/call b\n/say second', ...before)).calls).toMatchObject([{ name: 'b' }]);
  });

  it('does not count waiting as a step', async () => {
    const steps = await play('/slow 0.01\n/call a\n/slow 0.01\n/slow 0.01\n/call b\n/slow 0.01\n/say done');
    expect(steps.map(({ text, calls }) => calls[0]?.name ?? text)).toEqual(['a', 'b', 'done']);
  });

  it('ends with the outputs of its tools', async () => {
    const steps = await play('/call a {"n":1} && /call b\n/call c', ({ name }) => ({ from: name }));
    expect(steps.at(-1)?.text).toBe(
      '[{"name":"a","output":{"from":"a"}},{"name":"b","output":{"from":"b"}},{"name":"c","output":{"from":"c"}}]',
    );
  });

  it('ends with the errors of tools', async () => {
    const id = { toolCallId: 'call_1', toolName: 'a' };
    const messages: ModelMessage[] = [
      user('/call a'),
      { role: 'assistant', content: [{ type: 'tool-call', ...id, input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', ...id, output: { type: 'error-text', value: 'broken' } }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', ...id, output: { type: 'error-json', value: { reason: 'not now' } } }],
      },
    ];
    expect((await demoModel.step(aRequest(messages))).text).toBe(
      '[{"name":"a","output":"broken"},{"name":"a","output":{"reason":"not now"}}]',
    );
  });

  it.each(['/slow 0.01', '/slow 0'])('ends with Done. if it only waited: %s', async (script) => {
    expect(await play(script)).toMatchObject([{ text: 'Done.', calls: [] }]);
  });

  it('streams the requested number of words', async () => {
    expect((await stepOf('/stream 3')).text).toBe('word1 word2 word3');
    expect((await stepOf('/stream 10000')).outputTokens).toBe(10_000);
  });

  it('writes the user messages of the request', async () => {
    const parts = [{ type: 'text', text: 'two' } as const, { type: 'text', text: 'three' } as const];
    const before: ModelMessage[] = [
      user('one'),
      { role: 'assistant', content: 'no' },
      { role: 'user', content: parts },
    ];
    expect((await stepOf('/history', ...before)).text).toBe('["one","two\\nthree","/history"]');
  });

  it('writes the instructions of the request', async () => {
    expect((await demoModel.step(aRequest([user('/instructions')], 'Be kind.\nBe brief.'))).text).toBe(
      'Be kind.\nBe brief.',
    );
  });

  it('fails like a provider, after its text', async () => {
    const failure = { name: 'ModelError', kind: 'failed', message: 'The demo model failed, as the script requested.' };
    await expect(stepOf('/fail')).rejects.toMatchObject({ ...failure, partialText: '' });
    await expect(stepOf('/say Half of && /fail')).rejects.toMatchObject({ ...failure, partialText: 'Half of' });
    await expect(play('/call a\n/fail')).rejects.toMatchObject(failure);
  });
});

it.each([
  ['/dance now', 'There is no command /dance.'],
  ['/', 'There is no command /.'],
  ['/say', '/say needs a text.'],
  ['/call', '/call needs the name of a tool.'],
  ['/call a {"x":', 'The arguments of /call a are not valid JSON.'],
  ['/call a [1]', 'The arguments of /call a must be a JSON object.'],
  ['/call a null', 'The arguments of /call a must be a JSON object.'],
  ['/ask me', '/ask takes nothing after it.'],
  ['/fail hard', '/fail takes nothing after it.'],
  ['/history all', '/history takes nothing after it.'],
  ['/instructions all', '/instructions takes nothing after it.'],
  ['/stream', '/stream takes a number of words from 1 to 10000.'],
  ['/stream 0', '/stream takes a number of words from 1 to 10000.'],
  ['/stream 10001', '/stream takes a number of words from 1 to 10000.'],
  ['/stream 1e3', '/stream takes a number of words from 1 to 10000.'],
  ['/slow', '/slow takes a number of seconds up to 3600, alone on its line.'],
  ['/slow -1', '/slow takes a number of seconds up to 3600, alone on its line.'],
  ['/slow 3601', '/slow takes a number of seconds up to 3600, alone on its line.'],
  ['/slow 1 && /say hi', '/slow takes a number of seconds up to 3600, alone on its line.'],
  ['/say hi && /slow 1', '/slow cannot be joined to another command.'],
  ['/call a\nthen', 'There is no command then.'],
])('says what is wrong with "%s", and which commands there are', async (script, problem) => {
  const step = await stepOf(script);
  expect(step.calls).toEqual([]);
  expect(step.text.split('\n')[0]).toBe(problem);
  for (const command of ['say', 'call', 'ask', 'upload', 'complete', 'fail', 'slow', 'stream', 'history']) {
    expect(step.text).toContain(`/${command}`);
  }
  expect(step.text).toContain('/instructions');
});

it('counts words as tokens: instructions and texts as input, its own text as output', async () => {
  const messages: ModelMessage[] = [
    user('one two'),
    { role: 'assistant', content: [{ type: 'text', text: 'three' }] },
    { role: 'user', content: [{ type: 'text', text: 'four  five' }] },
  ];
  expect(await demoModel.step(aRequest(messages, 'Be kind.'))).toMatchObject({ inputTokens: 7, outputTokens: 4 });
});
