import { readFileSync } from 'node:fs';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { UPSTREAM_PROTOCOLS } from '@tollgate/test-support/gateway/catalogue';
import { directed } from '@tollgate/test-support/gateway/endpoints';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { open } from '@tollgate/test-support/gateway/http';
import { at, listAt } from '@tollgate/test-support/gateway/json';
import { readStream } from '@tollgate/test-support/gateway/sse';
import { describe, expect, it } from 'vitest';
import { compactResource, responseResource, socketError, streamEvent } from './support/open-responses.ts';
import { openSocket, type Turn } from './support/response-socket.ts';
import { withGateway } from './support/shared-gateway.ts';

/**
 * The compliance cases of the Open Responses specification, by their names there, against providers of all protocols. docs/reference/open-responses.md
 * lists which are refused.
 */

const PAGE = readFileSync(new URL('../../docs/reference/open-responses.md', import.meta.url), 'utf8');
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PDF = `data:application/pdf;base64,${Buffer.from('%PDF-1.1\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF').toString('base64')}`;
const WEATHER = {
  type: 'function',
  name: 'get_weather',
  description: 'Get the current weather for a location',
  parameters: {
    type: 'object',
    properties: { location: { type: 'string', description: 'The city and state' } },
    required: ['location'],
  },
};
const CALL = { tool_calls: [{ name: 'get_weather', arguments: '{"location":"San Francisco, CA"}' }] };

let gateway: Gateway;
let account: Account;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(100_000_000_000n);
});

function wire(path: string, body: object) {
  const headers = { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' };
  return { method: 'POST', path, headers, body: JSON.stringify(body) };
}

function post(path: string, body: object) {
  return gateway.send(wire(path, body));
}

/** A case that the gateway refuses. */
class Refused extends Error {
  constructor({ status, text }: { status: number; text: string }) {
    super(`${status} ${text}`);
    expect({ status, text }).toMatchObject({ status: 400 });
  }
}

/** Creates a response over HTTP, which must fit the specification and be complete. */
async function create(body: object): Promise<unknown> {
  const response = await post('/v1/responses', body);
  if (response.status !== 200) throw new Refused(response);
  return completed(response.json);
}

async function compact(body: object): Promise<unknown> {
  const response = await post('/v1/responses/compact', body);
  if (response.status !== 200) throw new Refused(response);
  return compactResource.parse(response.json);
}

function completed(json: unknown): unknown {
  const response = responseResource.parse(json);
  expect(response.status).toBe('completed');
  expect(response.output.length).toBeGreaterThan(0);
  return response;
}

function types(response: unknown): unknown[] {
  return listAt(response, 'output').map((each) => at(each, 'type'));
}

/** The turn's events must fit the specification, and end in a complete response. */
function completedTurn(turn: Turn): void {
  for (const event of turn.events) streamEvent.parse(event);
  expect(turn.type).toBe('response.completed');
  completed(at(turn.last, 'response'));
}

function failedTurn(turn: Turn, code?: string): void {
  const { error } = socketError.parse(turn.last);
  if (code !== undefined) expect(error.code).toBe(code);
}

/** Runs turns on one WebSocket. */
async function onSocket(run: (turn: (body: object) => Promise<Turn>) => Promise<void>): Promise<void> {
  const socket = await openSocket(gateway, account.key);
  try {
    await run((body) => socket.turn(body));
  } finally {
    await socket.close();
  }
}

const say = (role: string, content: unknown, more: object = {}) => ({ type: 'message', role, content, ...more });
const LOST = { type: 'function_call_output', call_id: 'call_openresponses_missing', output: 'No matching call.' };

const CASES: Readonly<Record<string, (model: string) => Promise<void>>> = {
  'basic-response': async (model) => {
    await create({ model, input: [say('user', 'Say hello in exactly 3 words.')] });
  },
  'assistant-phase': async (model) => {
    const history = [
      say('assistant', 'I should answer with the saved number.', { phase: 'commentary' }),
      say('assistant', 'The number is four.', { phase: 'final_answer' }),
      say('user', 'Repeat only the number.'),
    ];
    await create({ model, input: history });
  },
  'streaming-response': async (model) => {
    const body = { model, stream: true, input: [say('user', 'Count to 5.')] };
    const { status, chunks } = await readStream(await open(gateway.baseUrl, wire('/v1/responses', body)));
    expect(status).toBe(200);
    const events = chunks.map((event) => streamEvent.parse(event));
    expect(events.at(-1)?.type).toBe('response.completed');
    completed(at(events.at(-1), 'response'));
  },
  'system-prompt': async (model) => {
    await create({ model, input: [say('system', 'You are a pirate.'), say('user', 'Say hello.')] });
  },
  'tool-calling': async (model) => {
    const response = await create({
      model,
      tools: [WEATHER],
      input: [say('user', directed('How is it there?', CALL))],
    });
    expect(types(response)).toContain('function_call');
  },
  'function-call-roundtrip': async (model) => {
    const choice = { type: 'function', name: 'get_weather' };
    const first = await create({ model, tools: [WEATHER], tool_choice: choice, input: 'Use the tool.' });
    const call = listAt(first, 'output').find((each) => at(each, 'type') === 'function_call');
    const output = { type: 'function_call_output', call_id: at(call, 'call_id'), output: '64 degrees' };
    await create({ model, tools: [WEATHER], input: [say('user', 'Use the tool.'), call, output] });
  },
  'image-input': async (model) => {
    const content = [
      { type: 'input_text', text: 'What is it?' },
      { type: 'input_image', image_url: PNG },
    ];
    await create({ model, input: [say('user', content)] });
  },
  'file-input': async (model) => {
    const content = [
      { type: 'input_text', text: 'Its title?' },
      { type: 'input_file', filename: 'fixture.pdf', file_data: PDF },
    ];
    await create({ model, input: [say('user', content)] });
  },
  'multi-turn': async (model) => {
    const history = [say('user', 'My name is Alice.'), say('assistant', 'Hello Alice!'), say('user', 'My name?')];
    await create({ model, input: history });
  },
  'previous-response-id': async (model) => {
    const first = await create({ model, input: 'Remember: papaya.' });
    await create({ model, previous_response_id: at(first, 'id'), input: 'Which word?' });
  },
  'compact-response': async (model) => {
    const body = { model, prompt_cache_key: 'test', input: [say('user', 'We launch.'), say('assistant', 'Noted.')] };
    expect(types(await compact(body))).toContain('compaction');
  },
  'compact-missing-model': async () => {
    const { status } = await post('/v1/responses/compact', { input: [say('user', 'Compact this.')] });
    expect(status).toBe(400);
  },
  'websocket-response': (model) =>
    onSocket(async (turn) => completedTurn(await turn({ model, input: [say('user', 'Count to 3.')] }))),
  'websocket-sequential-responses': (model) =>
    onSocket(async (turn) => {
      completedTurn(await turn({ model, store: false, input: 'first' }));
      completedTurn(await turn({ model, store: false, input: 'second' }));
    }),
  'websocket-continuation': (model) =>
    onSocket(async (turn) => {
      const first = await turn({ model, store: false, input: 'The code word is cobalt.' });
      completedTurn(first);
      completedTurn(await turn({ model, store: false, previous_response_id: first.id, input: 'Which word?' }));
    }),
  'websocket-generate-false': (model) =>
    onSocket(async (turn) => {
      const first = await turn({ model, store: false, generate: false, input: 'The code word is amber.' });
      expect(responseResource.parse(at(first.last, 'response')).output).toEqual([]);
      completedTurn(await turn({ model, store: false, previous_response_id: first.id, input: 'Which word?' }));
    }),
  'websocket-reconnect-store-false-recovery': async (model) => {
    let id = '';
    await onSocket(async (turn) => {
      const first = await turn({ model, store: false, input: 'The code word is copper.' });
      completedTurn(first);
      id = first.id;
    });
    await onSocket(async (turn) => {
      failedTurn(
        await turn({ model, store: false, previous_response_id: id, input: 'On.' }),
        'previous_response_not_found',
      );
      completedTurn(await turn({ model, store: false, input: [say('user', 'Anew.')] }));
    });
  },
  'websocket-previous-response-not-found': (model) =>
    onSocket(async (turn) => {
      const missing = { model, store: false, previous_response_id: 'resp_openresponses_missing', input: 'On.' };
      failedTurn(await turn(missing), 'previous_response_not_found');
    }),
  'websocket-failed-continuation-evicts-cache': (model) =>
    onSocket(async (turn) => {
      const first = await turn({ model, store: false, input: 'The code word is ember.' });
      completedTurn(first);
      const next = { model, store: false, previous_response_id: first.id };
      failedTurn(await turn({ ...next, input: [LOST] }));
      failedTurn(await turn({ ...next, input: 'On.' }), 'previous_response_not_found');
    }),
  'websocket-compact-new-chain': async (model) => {
    const output = listAt(await compact({ model, input: [say('user', 'Slate.')] }), 'output');
    await onSocket(async (turn) => {
      completedTurn(await turn({ model, store: false, tools: [], input: [...output, say('user', 'On.')] }));
    });
  },
};

/** The result that the page has for a case and a kind of provider: it lists those that are refused. */
function documented(name: string, upstream: string): string {
  const row = PAGE.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
  const [, , refusing = ''] = row?.split('|') ?? [];
  return refusing.split(',').some((each) => each.trim() === upstream) ? 'refused' : 'passes';
}

describe.each(UPSTREAM_PROTOCOLS)('%s', (upstream) => {
  it.each(Object.entries(CASES))('%s', async (name, run) => {
    const result = await run(`open-${upstream}`).then(
      () => 'passes',
      (error: unknown) => {
        if (error instanceof Refused) return 'refused';
        throw error;
      },
    );
    expect(result).toBe(documented(name, upstream));
  });
});

it('lists cases that exist', () => {
  const rows = [...PAGE.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name ?? '');
  expect(rows.filter((name) => !(name in CASES))).toEqual([]);
});
