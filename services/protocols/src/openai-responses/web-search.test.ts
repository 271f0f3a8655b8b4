import { describe, expect, test } from 'vitest';
import type { ClientRequest, ResponseContext, StreamStep } from '../interface/protocol.ts';
import { runToEnd } from '../lists/stages.ts';
import { SseParser } from '../sse/parse.ts';
import { openaiResponses } from './index.ts';

const CONTEXT: ResponseContext = { model: 'm', created: 1, newId: () => 'a'.repeat(24), costOf: () => '0' };
const SEARCH = { type: 'web_search', external_web_access: true };
const FUNCTION = { type: 'function', name: 'f', parameters: {}, strict: false };

function read(members: object): ClientRequest {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', input: 'hi', ...members }));
  const result = runToEnd(openaiResponses.parseRequest(bytes, { model: '', stream: 'none' }));
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

function forward(members: object, search: number): unknown {
  const dispatch = { upstreamModel: 'm', outputTokens: undefined, hostedUses: { search } };
  return JSON.parse(read(members).editRequest(dispatch).toString());
}

const searched = (action: object, status = 'completed') => ({ type: 'web_search_call', id: 'ws_1', status, action });

describe('searches that are allowed', () => {
  test.each(['web_search', 'web_search_preview', 'web_search_preview_2025_03_11', 'web_search_2025_08_26'])(
    '%s passes with a limit on calls',
    (type) => {
      expect(forward({ tools: [FUNCTION, { type }] }, 3)).toMatchObject({
        tools: [FUNCTION, { type }],
        max_tool_calls: 3,
      });
    },
  );

  test('keep a lower limit of the client', () => {
    expect(forward({ tools: [SEARCH], max_tool_calls: 2 }, 3)).toMatchObject({ max_tool_calls: 2 });
    expect(forward({ tools: [SEARCH], max_tool_calls: 9 }, 3)).toMatchObject({ max_tool_calls: 3 });
  });

  test('may be forced, and other tools of the provider not', () => {
    const { hostedTools } = read({ tools: [SEARCH], tool_choice: { type: 'web_search' } });
    expect(hostedTools?.policy({ search: 1 }).errors).toEqual([]);
    expect(hostedTools?.policy({}).errors.map(({ path }) => path)).toEqual(['tools[0]']);
    const both = read({ tools: [SEARCH, { type: 'code_interpreter' }] });
    expect(both.hostedTools?.policy({ search: 1 }).warnings.map(({ path }) => path)).toEqual(['tools[1]']);
  });

  test('come back in the next turn as they were', () => {
    const call = searched({ type: 'search', query: 'q', sources: [{ type: 'url', url: 'https://a.example' }] });
    const input = [{ role: 'user', content: 'hi' }, call, { role: 'user', content: 'more' }];
    expect(forward({ input, tools: [SEARCH] }, 3)).toMatchObject({ input });
  });

  test('are known where an item declares them, as Codex does', () => {
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [SEARCH] },
      { role: 'user', content: 'hi' },
    ];
    expect(read({ input }).hostedTools?.limits.has('search')).toBe(true);
    expect(forward({ input }, 3)).toMatchObject({ input, max_tool_calls: 3 });
  });
});

function stepsOf(events: readonly { type: string; [member: string]: unknown }[]): StreamStep[] {
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const transformer = read({ stream: true }).streamTransformer(CONTEXT);
  const parser = new SseParser({ maxEventBytes: 1_000_000 });
  return parser.push(Buffer.from(text)).events.map((event) => transformer.push(event));
}

const OUTPUT = [
  searched({ type: 'search', query: 'q' }),
  searched({ type: 'open_page', url: 'https://a.example' }),
  searched({ type: 'find_in_page', pattern: 'x', url: 'https://a.example' }),
  searched({ type: 'search', query: 'r' }),
  searched({ type: 'search', query: 's' }, 'failed'),
];
const USAGE = { input_tokens: 50, output_tokens: 20, total_tokens: 70 };
const RESPONSE = { id: 'resp_1', object: 'response', model: 'm', status: 'completed', output: OUTPUT, usage: USAGE };

describe('the searches of a response', () => {
  test('are those that ran, without opened pages', () => {
    const result = read({})
      .responseTransformer(CONTEXT)
      .transform(Buffer.from(JSON.stringify(RESPONSE)));
    expect(result).toMatchObject({ kind: 'response', usage: { input: 50, output: 20, search: 2 } });
  });

  test('are those that it reports, if it does', () => {
    const body = { ...RESPONSE, tool_usage: { web_search: { num_requests: 3 } } };
    const result = read({})
      .responseTransformer(CONTEXT)
      .transform(Buffer.from(JSON.stringify(body)));
    expect(result).toMatchObject({ usage: { search: 3 } });
  });

  test('are those that a stream reports in the end, even if they are fewer than its items', () => {
    const reported = { ...RESPONSE, tool_usage: { web_search: { num_requests: 1 } } };
    const done = OUTPUT.map((item) => ({ type: 'response.output_item.done', item }));
    expect(stepsOf([...done, { type: 'response.completed', response: reported }]).at(-1)).toMatchObject({
      usage: { search: 1 },
    });
  });

  test('are counted as a stream brings them, for one that breaks, and reported at its end', () => {
    const events = [
      { type: 'response.created', response: { ...RESPONSE, output: [], usage: null } },
      ...OUTPUT.map((item) => ({ type: 'response.output_item.done', item })),
      { type: 'response.completed', response: RESPONSE },
    ];
    const steps = stepsOf(events);
    expect(steps.map((step) => ('searches' in step ? step.searches : undefined))).toEqual([
      undefined,
      ...[1, 1, 1, 2, 2],
      2,
    ]);
    expect(steps.at(-1)).toMatchObject({ kind: 'end', usage: { search: 2 }, repeatedPrompts: 5 });
  });
});
