import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, call } from '../../testing/call.ts';
import { type Simulator, startSimulator } from '../../testing/start-simulator.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(100));

const SCRIPT = [
  {
    tool_calls: [
      { name: 'read', arguments: '{"path":"a"}' },
      { name: 'read', arguments: '{"path":"b"}' },
    ],
  },
  { tool_calls: [{ name: 'write', arguments: '{"path":"c"}' }] },
  { text: 'Both are read.' },
];
const QUESTION = { role: 'user', content: `Compare them. [simulate ${JSON.stringify({ script: SCRIPT })}]` };
const TOOLS = ['read', 'write', 'other'].map((name) => ({ type: 'function', function: { name } }));

/** Calls with their results, as two messages. */
function answered(...calls: { name: string; input: string }[]): object[] {
  const ids = calls.map(({ name, input }) => ({ id: `call_${input}`, name, input }));
  return [
    {
      role: 'assistant',
      tool_calls: ids.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify({ path: input }) },
      })),
    },
    ...ids.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'result' })),
  ];
}

async function responseTo(messages: object[], settings: object = { tools: TOOLS }): Promise<string | string[]> {
  const body = { model: 'm', messages, ...settings };
  const { json } = await call(`${simulator.url}/v1/chat/completions`, body);
  const calls = at(json, 'choices', 0, 'message', 'tool_calls');
  if (!Array.isArray(calls)) return String(at(json, 'choices', 0, 'message', 'content'));
  return calls.map((each) => `${at(each, 'function', 'name')} ${at(each, 'function', 'arguments')}`);
}

const A = { name: 'read', input: 'a' };
const B = { name: 'read', input: 'b' };
const C = { name: 'write', input: 'c' };

it('continues by the number of tool results', async () => {
  expect(await responseTo([QUESTION])).toEqual(['read {"path":"a"}', 'read {"path":"b"}']);
  expect(await responseTo([QUESTION, ...answered(A, B)])).toEqual(['write {"path":"c"}']);
  expect(await responseTo([QUESTION, ...answered(A), ...answered(B), ...answered(C)])).toBe('Both are read.');
});

it('makes the calls again that have no result yet', async () => {
  expect(await responseTo([QUESTION, ...answered(A)])).toEqual(['read {"path":"b"}']);
});

it('makes one call at a time if the client wants so', async () => {
  const settings = { tools: TOOLS, parallel_tool_calls: false };
  expect(await responseTo([QUESTION], settings)).toEqual(['read {"path":"a"}']);
});

it('ends with the next message that has a script', async () => {
  const next = { role: 'user', content: '[simulate {"script": [{"text": "Next."}]}]' };
  const before = [QUESTION, ...answered(A, B), ...answered(C), { role: 'assistant', content: 'Both are read.' }];
  expect(await responseTo([...before, next])).toBe('Next.');
});

it('does not apply to requests without its tools', async () => {
  expect(await responseTo([QUESTION], { tools: TOOLS.slice(0, 1) })).toContain('simulated');
  expect(await responseTo([QUESTION], {})).toContain('simulated');
});

it('rejects a step with an unknown control', async () => {
  const content = '[simulate {"script": [{"unknown": 1}]}]';
  const body = { model: 'm', messages: [{ role: 'user', content }] };
  const { status, json } = await call(`${simulator.url}/v1/chat/completions`, body);
  expect({ status, message: at(json, 'error', 'message') }).toMatchObject({
    status: 400,
    message: expect.stringContaining('simulate.script.0'),
  });
});
