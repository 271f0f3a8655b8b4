import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call } from '../../testing/call.ts';
import { type Simulator, startSimulator } from '../../testing/start-simulator.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(100));

const SEARCH = { type: 'web_search' };
const FUNCTION = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false };

async function respond(body: object) {
  const { status, json } = await call(`${simulator.url}/v1/responses`, { model: 'm', input: 'News?', ...body });
  return { status, json, output: at(json, 'output'), error: at(json, 'error') };
}

describe('searches of the web', () => {
  it('are items before the text, are counted, and give the model the prompt again', async () => {
    const plain = await respond({});
    const { json, output } = await respond({ tools: [SEARCH], simulate: { searches: 2, tokens_per_use: 500 } });
    expect(output).toMatchObject([
      { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'simulated query 1' } },
      { type: 'web_search_call', action: { type: 'search', queries: ['simulated query 2'] } },
      {
        type: 'message',
        content: [{ annotations: [{ type: 'url_citation', url: 'https://search.example/1', start_index: 0 }] }],
      },
    ]);
    expect(at(output, 0, 'action')).not.toHaveProperty('sources');
    expect(json).toMatchObject({ tool_usage: { web_search: { num_requests: 2 } } });
    const prompt = Number(at(plain.json, 'usage', 'input_tokens'));
    expect(at(json, 'usage', 'input_tokens')).toBe(3 * prompt + 500 + 1_000);
  });

  it('have their sources on request', async () => {
    const { output } = await respond({ tools: [SEARCH], include: ['web_search_call.action.sources'] });
    expect(at(output, 0, 'action', 'sources')).toEqual([{ type: 'url', url: 'https://search.example/1' }]);
  });

  it('are not billed for pages that they open', async () => {
    const { json, output } = await respond({ tools: [SEARCH], simulate: { searches: 1, fetches: 2 } });
    expect(output).toMatchObject([
      { action: { type: 'search' } },
      { action: { type: 'open_page', url: 'https://fetch.example/1' } },
      { action: { type: 'find_in_page', url: 'https://fetch.example/2' } },
      { type: 'message' },
    ]);
    expect(json).toMatchObject({ tool_usage: { web_search: { num_requests: 1 } } });
  });

  it('end at the limit on calls', async () => {
    const { json } = await respond({ tools: [SEARCH], max_tool_calls: 2, simulate: { searches: 3 } });
    expect(json).toMatchObject({ max_tool_calls: 2, tool_usage: { web_search: { num_requests: 2 } } });
  });

  it.each([
    ['by name', { tools: [SEARCH, FUNCTION], tool_choice: SEARCH }, 1],
    ['as the only tool', { tools: [SEARCH] }, 1],
    ['as the only tool that is allowed', { tools: [SEARCH, FUNCTION], tool_choice: allowed([SEARCH]) }, 1],
    ['beside a function', { tools: [SEARCH, FUNCTION] }, 0],
    ['by no tool choice', { tools: [SEARCH], tool_choice: 'none' }, 0],
  ])('run %s', async (_, members, searches) => {
    const { json } = await respond(members);
    expect(json).toMatchObject({ tool_usage: { web_search: { num_requests: searches } } });
  });

  it('come back in the next turn', async () => {
    const { output } = await respond({ tools: [SEARCH], simulate: { searches: 1, fetches: 2 } });
    if (!Array.isArray(output)) throw new Error('no output');
    const input = [{ role: 'user', content: 'News?' }, ...output, { role: 'user', content: 'More?' }];
    expect(await respond({ input, tools: [SEARCH] })).toMatchObject({ status: 200 });
  });

  it('stream to the SDK', async () => {
    const client = new OpenAI({ apiKey: 'k', baseURL: `${simulator.url}/v1`, maxRetries: 0 });
    const stream = await client.responses.create({
      model: 'm',
      input: 'News?',
      tools: [{ type: 'web_search' }],
      stream: true,
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types.slice(2, 7)).toEqual([
      'response.output_item.added',
      'response.web_search_call.in_progress',
      'response.web_search_call.searching',
      'response.web_search_call.completed',
      'response.output_item.done',
    ]);
    expect(types).toContain('response.output_text.annotation.added');
  });

  it.each([
    [{ tools: [{ ...SEARCH, max_uses: 1 }] }, 'tools[0].max_uses'],
    [{ tools: [{ type: 'web_search_preview', filters: {} }] }, 'tools[0].filters'],
    [{ tools: [{ ...SEARCH, user_location: { country: 'Germany' } }] }, 'tools[0].user_location.country'],
    [{ tools: [SEARCH], reasoning: { effort: 'minimal' } }, 'tools'],
    [{ tools: [FUNCTION], tool_choice: SEARCH }, 'tool_choice'],
    [{ tools: [FUNCTION], tool_choice: allowed([SEARCH]) }, 'tool_choice'],
    [{ tools: [SEARCH], max_tool_calls: 0 }, 'max_tool_calls'],
    [{ input: [{ type: 'web_search_call', id: 'fc_1', status: 'completed' }] }, 'input[0].id'],
    [{ input: [{ type: 'web_search_call', action: { type: 'find_in_page', url: 'u' } }] }, 'input[0].action.pattern'],
  ])('%j is rejected', async (members, param) => {
    expect(await respond(members)).toMatchObject({ status: 400, error: { param } });
  });
});

function allowed(tools: readonly object[]): object {
  return { type: 'allowed_tools', mode: 'auto', tools };
}
