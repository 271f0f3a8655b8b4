import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call } from '../../testing/call.ts';
import { type Simulator, startSimulator } from '../../testing/start-simulator.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(100));

const NAMESPACE = {
  type: 'namespace',
  name: 'files',
  description: '',
  tools: [
    { type: 'function', name: 'read', parameters: { type: 'object', properties: {} } },
    { type: 'custom', name: 'run' },
  ],
};
const ADDED = { type: 'additional_tools', role: 'developer', tools: [NAMESPACE] };
const USER = { role: 'user', content: 'Hello' };
const SEARCH = { type: 'tool_search', execution: 'client', parameters: { type: 'object', properties: {} } };

async function respond(body: object) {
  const { status, json } = await call(`${simulator.url}/v1/responses`, { model: 'm', store: false, ...body });
  return { status, output: at(json, 'output'), message: at(json, 'error', 'message') };
}

describe.each([
  { place: 'in the request', body: { tools: [NAMESPACE], input: [USER] } },
  { place: 'in an item', body: { input: [ADDED, USER] } },
])('a namespace of tools $place', ({ body }) => {
  it('is called by name and namespace', async () => {
    const simulate = { tool_calls: [{ name: 'files__read' }, { name: 'files__run', arguments: 'ls' }] };
    const { output } = await respond({ ...body, simulate });
    expect(output).toMatchObject([
      { type: 'function_call', name: 'read', namespace: 'files', arguments: '{}' },
      { type: 'custom_tool_call', name: 'run', namespace: 'files', input: 'ls' },
    ]);
  });

  it('takes its calls and results back', async () => {
    const named = { call_id: 'c1', name: 'run', namespace: 'files' };
    const input = [
      ...body.input,
      { type: 'custom_tool_call', ...named, input: 'ls' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'a.txt' },
    ];
    expect(await respond({ ...body, input })).toMatchObject({ status: 200 });
  });
});

it('takes a search for tools that the client runs, with its result', async () => {
  const search = { call_id: 's1', execution: 'client' };
  const input = [
    USER,
    { type: 'tool_search_call', ...search, arguments: { query: 'files' } },
    { type: 'tool_search_output', ...search, tools: [NAMESPACE] },
  ];
  const simulate = { tool_calls: [{ name: 'files__read' }] };
  const { output } = await respond({ tools: [SEARCH], input, simulate });
  expect(output).toMatchObject([{ name: 'read', namespace: 'files' }]);
});

it('takes deferred tools with a search that the provider runs, and refuses them without', async () => {
  const deferred = { type: 'function', name: 'weather', parameters: { type: 'object' }, defer_loading: true };
  const search = { call_id: null, execution: 'server' };
  const input = [
    USER,
    { type: 'tool_search_call', ...search, arguments: { paths: ['weather'] } },
    { type: 'tool_search_output', ...search, tools: [deferred] },
    USER,
  ];
  expect(await respond({ tools: [deferred, { type: 'tool_search' }], input })).toMatchObject({ status: 200 });
  expect(await respond({ tools: [deferred], input: [USER] })).toMatchObject({
    status: 400,
    message: expect.stringContaining('Deferred tools require tools.tool_search'),
  });
});

it('calls a search and a shell with items of their own', async () => {
  const simulate = {
    tool_calls: [
      { name: 'tool_search', arguments: '{"query":"mail"}' },
      { name: 'local_shell', arguments: '{"command":["ls"]}' },
    ],
  };
  const { output } = await respond({ tools: [SEARCH, { type: 'local_shell' }], input: [USER], simulate });
  expect(output).toMatchObject([
    { type: 'tool_search_call', execution: 'client', arguments: { query: 'mail' } },
    { type: 'local_shell_call', action: { type: 'exec', command: ['ls'] } },
  ]);
});

it.each([
  { what: 'an unknown tool', body: { tools: [{ type: 'teleport' }], input: 'Hello' } },
  { what: 'an item of an unknown type', body: { input: [USER, { type: 'teleport_call', call_id: 'c1' }] } },
  {
    what: 'output of a shell without its call',
    body: { input: [USER, { type: 'local_shell_call_output', call_id: 'c1', output: '' }] },
  },
  {
    what: 'a search without its result',
    body: { input: [USER, { type: 'tool_search_call', call_id: 's1', execution: 'client', arguments: {} }] },
  },
  { what: 'an empty namespace', body: { tools: [{ ...NAMESPACE, tools: [] }], input: 'Hello' } },
  { what: 'a namespace in a namespace', body: { tools: [{ ...NAMESPACE, tools: [NAMESPACE] }], input: 'Hello' } },
  { what: 'additional tools of a user', body: { input: [{ ...ADDED, role: 'user' }, USER] } },
  {
    what: 'a search result without its call',
    body: { input: [USER, { type: 'tool_search_output', call_id: 's1', execution: 'client', tools: [] }] },
  },
])('rejects $what', async ({ body }) => {
  expect(await respond(body)).toMatchObject({ status: 400, message: expect.any(String) });
});
