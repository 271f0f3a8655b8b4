import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { usageOf } from '../../canonical/usage.ts';
import type { FinalUsage, StreamTransformer } from '../../interface/protocol.ts';
import { SseParser } from '../../sse/parse.ts';
import { ArrayFrame, EVENT_FRAME } from '../shared/chunk-frame.ts';
import { GeminiStreamTransformer } from './edit-stream.ts';

const CONTEXT = { model: 'alias', created: 1, newId: () => 'x', costOf: () => '0.1' };
const FINAL: FinalUsage = { usage: usageOf({ input: 9, output: 9 }), estimated: false, cost: '0.0012' };

function events(text: string, cuts: readonly number[] = []) {
  const parser = new SseParser({ maxEventBytes: 1_000_000 });
  const bytes = Buffer.from(text);
  const found = [];
  let at = 0;
  for (const cut of [...cuts, bytes.length]) {
    found.push(...parser.push(bytes.subarray(at, cut)).events);
    at = cut;
  }
  const rest = parser.end();
  return rest === undefined ? found : [...found, rest];
}

function relay(transformer: StreamTransformer, text: string, final = FINAL, cuts: readonly number[] = []): string {
  let out = '';
  for (const event of events(text, cuts)) {
    const step = transformer.push(event);
    if (step.kind === 'error' || step.kind === 'malformed') return `${out}!${step.kind}`;
    out += step.bytes?.toString() ?? '';
  }
  const end = transformer.eof();
  return end.kind === 'end' ? out + transformer.close(final).toString() : `${out}!${end.kind}`;
}

const transformer = () => new GeminiStreamTransformer(CONTEXT, EVENT_FRAME);
const USAGE = '"usageMetadata": {"promptTokenCount": 5,"candidatesTokenCount": 2,"totalTokenCount": 7}';
const chunk = (text: string, after: string, model = 'gemini-9-001') =>
  `data: {"candidates": [{"content": {"parts": [{"text": ${JSON.stringify(text)}}],"role": "model"}${after},"index": 0}],${USAGE},"modelVersion": "${model}"}\r\n\r\n`;
const STREAM = chunk('Grüße', '') + chunk(' "modelVersion": "x"', '') + chunk('!', ',"finishReason": "STOP"');

describe('GeminiStreamTransformer', () => {
  test('changes only the model’s name, and puts the cost into the last chunk', () => {
    const expected = STREAM.replaceAll('\r\n', '\n')
      .replaceAll('"modelVersion": "gemini-9-001"', '"modelVersion": "alias"')
      .replace(/"totalTokenCount": 7(?!.*totalTokenCount)/s, '"totalTokenCount": 7,"cost":0.0012');
    expect(relay(transformer(), STREAM)).toBe(expected);
  });

  test('reports text, finish reasons and usage', () => {
    const steps = events(STREAM).map((event) => transformer().push(event));
    expect(steps).toMatchObject([
      { kind: 'content', text: 'Grüße', finishReason: '', usage: usageOf({ input: 5, output: 2 }) },
      { text: ' "modelVersion": "x"' },
      { text: '!', finishReason: 'STOP', bytes: undefined },
    ]);
  });

  test('reads chunks that differ only in texts and counts like each of them alone', () => {
    const alike = (count: number) =>
      `data: {"candidates":[{"content":{"parts":[{"text":"word ${count}"}],"role":"model"},"index":0}],"usageMetadata":` +
      `{"promptTokenCount":5,"candidatesTokenCount":${count},"totalTokenCount":${5 + count},` +
      `"candidatesTokensDetails":[{"modality":"TEXT","tokenCount":${count}}]},"modelVersion":"gemini-9-001"}\n\n`;
    const stream = events([1, 2, 3, 40, 500].map(alike).join(''));
    const one = transformer();
    const together = stream.map((event) => one.push(event));
    expect(together).toEqual(stream.map((event) => transformer().push(event)));
    expect(together.at(-1)).toMatchObject({ text: 'word 500', usage: usageOf({ input: 5, output: 500 }) });
  });

  test('finds the name among others with that key', () => {
    const call =
      '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"modelVersion":"mine"}}}]}}],';
    const out = relay(transformer(), `data: ${call}"modelVersion":"up"}\n\n${chunk('', ',"finishReason": "STOP"')}`);
    expect(out).toContain(`${call}"modelVersion":"alias"}`);
  });

  test('a last chunk that is nested too deeply to be edited is followed by one with the usage', () => {
    const deep = `"usageMetadata": ${'['.repeat(300)}${']'.repeat(300)}`;
    const out = relay(transformer(), chunk('a', ',"finishReason": "STOP"').replace(USAGE, deep));
    const [first, last, ...more] = out.split('\n\n').filter((text) => text !== '');
    expect(first).toContain(deep);
    expect(JSON.parse(last?.slice('data: '.length) ?? '')).toEqual({
      usageMetadata: expect.objectContaining({ promptTokenCount: 9, candidatesTokenCount: 9, cost: 0.0012 }),
    });
    expect(more).toEqual([]);
  });

  test('a stream that ends before its finish is malformed', () => {
    expect(relay(transformer(), chunk('a', ''))).toContain('!malformed');
    expect(relay(transformer(), '')).toBe('!malformed');
    expect(relay(transformer(), 'data: [1]\n\n')).toBe('!malformed');
    expect(relay(transformer(), 'data: {"x":1}\n\n')).toBe('!malformed');
  });

  test('waits for every candidate', () => {
    const of = (index: number, rest: string) => `data: {"candidates":[{"index":${index}${rest}}]}\n\n`;
    const both = of(0, '') + of(1, '') + of(0, ',"finishReason":"STOP"');
    expect(relay(transformer(), both)).toContain('!malformed');
    const complete = relay(transformer(), `${both}${of(1, ',"finishReason":"MAX_TOKENS"')}`);
    expect(complete.match(/data: /g)).toHaveLength(4);
    const late = of(0, ',"finishReason":"STOP"') + of(1, '') + of(1, ',"finishReason":"STOP"');
    expect(relay(transformer(), late).match(/data: /g)).toHaveLength(3);
  });

  test('a blocked prompt is a buffered response', () => {
    const out = relay(transformer(), `data: {"promptFeedback":{"blockReason":"SAFETY"},${USAGE}}\n\n`);
    expect(out).toContain('"totalTokenCount": 7,"cost":0.0012}');
  });

  test('adds the counted usage if the upstream sent none, or replaces it by an estimate', () => {
    const bare = 'data: {"candidates":[{"finishReason":"STOP"}]}\n\n';
    const own = '"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":9,"totalTokenCount":18,"cost":0.0012}';
    expect(relay(transformer(), bare)).toContain(own);
    expect(relay(transformer(), STREAM, { ...FINAL, estimated: true })).toContain(
      own.replace('usageMetadata":', 'usageMetadata": '),
    );
  });

  test('an estimate keeps how Vertex AI served the call', () => {
    const first = 'data: {"candidates":[{}],"usageMetadata":{"trafficType":"ON_DEMAND"}}\n\n';
    const last = 'data: {"candidates":[{"finishReason":"STOP"}]}\n\n';
    expect(relay(transformer(), first + last, { ...FINAL, estimated: true })).toContain(
      '"cost":0.0012,"trafficType":"ON_DEMAND"}',
    );
  });

  test('passes only parts of the response', () => {
    expect(relay(transformer(), `: ping\n\n${STREAM}data: [DONE]\n\n`)).toBe(relay(transformer(), STREAM));
  });

  test('reports an error event', () => {
    const [event] = events('data: {"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}\n\n');
    expect(event && transformer().push(event)).toMatchObject({ kind: 'error', error: { message: 'm', code: '503' } });
  });

  test('writes one JSON array if the client requested it', () => {
    const array = (text: string) => relay(new GeminiStreamTransformer(CONTEXT, new ArrayFrame()), text);
    expect(JSON.parse(array(STREAM))).toHaveLength(3);
    expect(JSON.parse(array(chunk('', ',"finishReason": "STOP"')))).toHaveLength(1);
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), (values, candidate) => {
        const text = [...values, { candidates: [candidate] }].map((value) => `data: ${JSON.stringify(value)}\n\n`);
        relay(transformer(), text.join(''));
      }),
    );
  });
});
