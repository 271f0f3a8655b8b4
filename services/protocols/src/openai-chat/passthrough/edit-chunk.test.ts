import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { usageOf } from '../../canonical/usage.ts';
import type { SseEvent } from '../../sse/event.ts';
import { SseParser } from '../../sse/parse.ts';
import { ChunkReader } from '../shared/chunk.ts';
import { ChunkEditor, type ChunkEvent, encodeUsageChunk, readChunkEvent } from './edit-chunk.ts';

function readStream(text: string): ChunkEvent[] {
  const parser = new SseParser({ maxEventBytes: 1_000_000 });
  const result = parser.push(Buffer.from(text));
  const rest = parser.end();
  return [...result.events, ...(rest === undefined ? [] : [rest])].map(readAlone);
}

function readAlone(event: SseEvent): ChunkEvent {
  return readChunkEvent(event, new ChunkReader().read(event));
}

function one(data: unknown): ChunkEvent {
  const [event] = readStream(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  if (event === undefined) throw new Error('no event');
  return event;
}

function relay(text: string, options: { model: string; includeUsage: boolean }, cost?: string): string {
  const editor = new ChunkEditor(options);
  return readStream(text)
    .map((event) => editor.edit(event, cost)?.toString() ?? '')
    .join('');
}

const USAGE = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const HEAD = '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":17,"model":"gpt-x-2026","choices":';
const delta = (text: string, after = '') =>
  `data: ${HEAD}[{"index":0,"delta":{"content":${JSON.stringify(text)}},"finish_reason":null}]${after}}\n\n`;

describe('readChunkEvent', () => {
  test('decodes text, finish reason and usage of a delta', () => {
    const chunk = {
      choices: [
        { delta: { content: 'a', tool_calls: [{ index: 0, function: { name: 'f', arguments: '{' } }] } },
        { delta: { reasoning: 'b' }, finish_reason: 'stop' },
      ],
      usage: null,
    };
    expect(one(chunk)).toMatchObject({
      kind: 'delta',
      text: 'af{b',
      finishReason: 'stop',
      report: { usage: undefined, isInPlace: false },
      hasUsage: true,
    });
    expect(one({ ...chunk, usage: USAGE })).toMatchObject({
      kind: 'delta',
      report: { usage: usageOf({ input: 5, output: 2 }), isInPlace: true },
    });
  });

  test.each<[string, unknown, string]>([
    ['usage', { choices: [], usage: USAGE }, 'usage'],
    ['usage that cannot be read', { choices: [], usage: { prompt_tokens: -1 } }, 'usage'],
    ['usage without any choices member', { usage: USAGE }, 'usage'],
    ['a chunk of Azure without choices or usage', { choices: [], prompt_filter_results: [] }, 'delta'],
    ['a moderation chunk', { choices: [], usage: USAGE, moderation: { input: {} } }, 'delta'],
    ['an error', { error: { message: 'm' } }, 'error'],
    ['an error as text', { error: 'm' }, 'error'],
    ['a null error beside choices', { error: null, choices: [] }, 'delta'],
    ['the end', '[DONE]', 'done'],
    ['the end with spaces', ' [DONE] ', 'done'],
    ['no choices', {}, 'malformed'],
    ['choices that are no list', { choices: 5 }, 'malformed'],
    ['no object', '[]', 'malformed'],
    ['no JSON', '{"choices":[', 'malformed'],
    ['an empty event', '', 'silent'],
  ])('recognizes %s', (_, data, kind) => {
    expect(one(data).kind).toBe(kind);
  });

  test('recognizes comments, and decodes errors', () => {
    expect(readStream(': ping\n\n').map((event) => event.kind)).toEqual(['silent']);
    expect(readStream('event: error\ndata: {"message":"m"}\n\n')).toMatchObject([
      { kind: 'error', error: { message: 'm' } },
    ]);
    expect(one({ error: { message: 'm', code: 'c' } })).toMatchObject({ error: { message: 'm', code: 'c' } });
  });

  test('reports bytes that are not UTF-8 as malformed', () => {
    const bytes = Buffer.concat([Buffer.from('data: {"choices":[],"x":"'), Buffer.of(0xff), Buffer.from('"}\n\n')]);
    const { events } = new SseParser({ maxEventBytes: 1_000 }).push(bytes);
    expect(events.map((event) => readAlone(event).kind)).toEqual(['malformed']);
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (choice, usage) => {
        expect(one({ choices: [choice], usage }).kind).toBe('delta');
      }),
    );
    fc.assert(
      fc.property(
        fc.string(),
        (data) =>
          void readStream(`data: ${data}

`),
      ),
    );
  });
});

describe('ChunkEditor', () => {
  const asked = { model: 'gpt-x-2026', includeUsage: true };
  const notAsked = { model: 'gpt-x', includeUsage: false };

  test('returns the identical buffer if nothing changes', () => {
    const editor = new ChunkEditor(asked);
    const text = `${delta('a')}: ping\n\n${delta('b', ',"usage":null')}data: ${HEAD}[]}\r\n\r\nid: 1\nevent: x\ndata: [DONE]\n\n`;
    for (const event of readStream(text)) expect(editor.edit(event, undefined)).toBe(event.event.raw);
  });

  test('has the client’s model name in every chunk, and the rest unchanged', () => {
    const text = `${delta('"model":"gpt-x-2026"')}${delta(' b')}id: 7\r\ndata:${HEAD} [ ] }\r\n\r\n${delta('é')}`;
    expect(relay(text, notAsked)).toBe(text.replaceAll('"model":"gpt-x-2026"', '"model":"gpt-x"'));
  });

  test('follows when chunks begin to differ', () => {
    const other = 'data: {"model": "gpt-x-2027","choices":[]}\n\n';
    const text = delta('a') + other + delta('b') + other + other;
    expect(relay(text, notAsked)).toBe(text.replaceAll(/"gpt-x-202\d"/g, '"gpt-x"'));
    expect(relay(text, asked)).toBe(text.replaceAll('"gpt-x-2027"', '"gpt-x-2026"'));
  });

  test('adds the model to a chunk without one', () => {
    expect(relay('data: {"choices":[]}\n\n', notAsked)).toBe('data: {"choices":[],"model":"gpt-x"}\n\n');
  });

  test('edits data that came in several lines', () => {
    const text = 'event: e\ndata: {"model":"gpt-x-2026",\ndata: "choices":[]}\n\n';
    expect(relay(text, notAsked)).toBe('event: e\ndata: {"model":"gpt-x",\ndata: "choices":[]}\n\n');
    expect(relay(text, asked)).toBe(text);
  });

  test.each([
    ['', ''],
    [',"usage":null', ''],
    [',"usage":null,"obfuscation":"a1B2"', ',"obfuscation":"a1B2"'],
    [',"usage":null,"obfuscation":"a\\"}"', ',"obfuscation":"a\\"}"'],
    [',"usage":null,"x":{"obfuscation":"a"}', ',"x":{"obfuscation":"a"}'],
    [', "usage" : null ', ' '],
    [',"usage":{"prompt_tokens":1,"completion_tokens":1}', ''],
    [',"x_groq":{"id":"r","usage":null}', ',"x_groq":{"id":"r","usage":null}'],
    [',"usage":null,"x":{"a":1,"usage":null}', ',"x":{"a":1,"usage":null}'],
    [',"x":[{"a":1,"usage":null,"obfuscation":"b"}]', ',"x":[{"a":1,"usage":null,"obfuscation":"b"}]'],
  ])('removes usage for a client that did not request it: %s', (after, left) => {
    const model = (text: string) => text.replace('gpt-x-2026', 'gpt-x');
    const other = delta('first');
    for (const text of ['x', ',"usage":null', '"usage":null}']) {
      expect(relay(other + delta(text, after), notAsked)).toBe(model(other) + model(delta(text, left)));
      expect(relay(other + delta(text, after), { model: 'gpt-x-2026', includeUsage: false })).toBe(
        other + delta(text, left),
      );
    }
  });

  test('removes usage before the model', () => {
    const chunk = 'data: {"usage":null,"model":"gpt-x-2026","choices":[]}\n\n';
    expect(relay(chunk + chunk, notAsked)).toBe('data: {"model":"gpt-x","choices":[]}\n\n'.repeat(2));
    expect(relay(chunk + chunk, asked)).toBe(chunk + chunk);
    const same = { model: 'gpt-x-2026', includeUsage: false };
    expect(relay(chunk + chunk, same)).toBe('data: {"model":"gpt-x-2026","choices":[]}\n\n'.repeat(2));
  });

  test('puts the cost into requested usage, wherever it comes', () => {
    const chunk = `data: ${HEAD}[],"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\n`;
    const withCost = chunk.replace(':1}', ':1,"cost":0.25}');
    expect(relay(delta('a') + chunk, asked, '0.25')).toBe(delta('a') + withCost);
    const both = delta('a', ',"usage":{"prompt_tokens":1,"completion_tokens":1}');
    expect(relay(both + both, asked, '0.25')).toBe(both.replace(':1}', ':1,"cost":0.25}').repeat(2));
  });

  test.each([
    ['0.5', ',"cost":0.5'],
    [undefined, ''],
  ])('removes what the upstream charges; the cost is %s', (cost, expected) => {
    const counts = '"prompt_tokens":1,"completion_tokens":1';
    const own = ',"cost":0.7,"cost_details":{"upstream_inference_cost":0.6},"is_byok":false,"cost_in_usd_ticks":7';
    const before = `data: ${HEAD}[],"usage":{${counts}${own}}}\n\n`;
    expect(relay(before, asked, cost)).toContain(`"usage":{${counts}${expected}}`);
    const both = delta('a') + delta('b', `,"usage":{${counts}${own}}`);
    expect(relay(both, asked, cost)).toContain(`"usage":{${counts}${expected}}`);
  });

  test('removes the usage chunk for a client that did not request it, and returns errors to the caller', () => {
    expect(relay(`data: ${HEAD}[],"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\n`, notAsked, '1')).toBe('');
    expect(relay('data: {"error":{"message":"m"}}\n\n', notAsked)).toBe('');
    expect(relay('data: {\n\n', notAsked)).toBe('');
  });

  test('any chunks, however written: the client gets its model name, and no usage it did not request', () => {
    const member = fc.constantFrom('id', 'model', 'choices', 'usage', 'obfuscation', 'service_tier');
    const valueFor = (key: string, text: string, odd: boolean): unknown => {
      if (key === 'choices') return [{ delta: { content: text } }];
      if (key === 'usage') return odd ? null : USAGE;
      if (key === 'model') return odd ? 'gpt-x-2026' : 'gpt-x-2027';
      return text;
    };
    const chunk = fc
      .tuple(fc.uniqueArray(member, { minLength: 1 }), fc.string(), fc.boolean(), fc.nat({ max: 1 }))
      .map(([keys, text, odd, indent]) => {
        const all = keys.includes('choices') ? keys : [...keys, 'choices'];
        const value = Object.fromEntries(all.map((key) => [key, valueFor(key, text, odd)]));
        return { value, text: JSON.stringify(value, undefined, indent).replaceAll('\n', '') };
      });
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 5 }), fc.boolean(), (chunks, includeUsage) => {
        const out = relay(chunks.map(({ text }) => `data: ${text}\n\n`).join(''), { model: 'gpt-x', includeUsage });
        const got = readStream(out).map((event): unknown => JSON.parse(event.event.data?.toString() ?? ''));
        const expected = chunks.map(({ value: { usage, ...rest } }) => ({
          ...rest,
          model: 'gpt-x',
          ...(includeUsage && usage !== undefined ? { usage } : {}),
        }));
        expect(got).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('encodeUsageChunk', () => {
  test('copies only values of the expected types, however deeply others are nested', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const like = Buffer.from(`{"id":7,"created":${deep},"choices":[]}`);
    const chunk = encodeUsageChunk(like, usageOf({ input: 3, output: 4 }), { model: 'gpt-x', cost: '0.5' });
    const [read] = readStream(chunk.toString());
    const { usage, ...head } = JSON.parse(read?.event.data?.toString() ?? '');
    expect(head).toEqual({ object: 'chat.completion.chunk', model: 'gpt-x', choices: [] });
    expect(usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 4, cost: 0.5 });
  });

  test('looks like the other chunks of its stream', () => {
    const like = Buffer.from(`${HEAD}[]}`);
    const chunk = encodeUsageChunk(like, usageOf({ input: 3, output: 4 }), { model: 'gpt-x', cost: '0.5' });
    const [read] = readStream(chunk.toString());
    expect(read).toMatchObject({ kind: 'usage', report: { usage: usageOf({ input: 3, output: 4 }) } });
    expect(JSON.parse(read?.event.data?.toString() ?? '')).toMatchObject({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 17,
      model: 'gpt-x',
      choices: [],
      usage: { cost: 0.5 },
    });
  });
});
