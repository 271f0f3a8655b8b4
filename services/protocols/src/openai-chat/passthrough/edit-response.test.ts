import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { usageOf } from '../../canonical/usage.ts';
import { type ChatCompletion, editCompletion, readCompletion } from './edit-response.ts';

function completion(body: string): ChatCompletion {
  const response = readCompletion(Buffer.from(body));
  if (response.kind !== 'completion') throw new Error(response.kind);
  return response;
}

const BODY =
  '{\n  "id": "chatcmpl-1", "model": "gpt-x-2026-01-01", "choices": [{"index":0,"finish_reason":"length",' +
  '"message":{"role":"assistant","content":"caf\\u00e9","refusal":null}}],' +
  '"usage": {"prompt_tokens":9,"completion_tokens":12 }, "system_fingerprint": "fp" }\n';

describe('readCompletion', () => {
  test('finds usage, finish reason and text', () => {
    expect(completion(BODY)).toMatchObject({
      report: { usage: usageOf({ input: 9, output: 12 }), isInPlace: true },
      finishReason: 'length',
      text: 'café',
    });
  });

  test('collects all generated text, in all choices', () => {
    const message = {
      content: 'a',
      refusal: 'b',
      reasoning_content: 'c',
      tool_calls: [{ function: { name: 'd', arguments: '{"e":1}' } }, { custom: { name: 'f', input: 'g' } }],
      function_call: { name: 'h', arguments: 'i' },
      audio: { transcript: 'j' },
    };
    const body = JSON.stringify({ choices: [{ message }, { message: { content: 'k' } }, null, { message: 5 }] });
    expect(completion(body)).toMatchObject({
      text: 'abcd{"e":1}fghijk',
      report: { usage: undefined },
      finishReason: '',
    });
  });

  test('reports an error with a success status, and other bodies', () => {
    expect(readCompletion(Buffer.from('{"error":{"message":"over capacity"}}'))).toMatchObject({
      kind: 'error',
      error: { message: 'over capacity' },
    });
    for (const body of ['', 'null', '[]', '{}', '{"choices":{}}', '<html>', '{"choices":[]', '{"choices":[]}x']) {
      expect(readCompletion(Buffer.from(body)).kind).toBe('malformed');
    }
  });

  test('never throws', () => {
    fc.assert(fc.property(fc.jsonValue(), (choices) => void readCompletion(Buffer.from(JSON.stringify({ choices })))));
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void readCompletion(Buffer.from(bytes))));
  });
});

describe('editCompletion', () => {
  test('changes only the model and the cost', () => {
    const edited = editCompletion(completion(BODY), { model: 'gpt-x', cost: '0.00000042', usage: undefined });
    expect(edited.toString()).toBe(
      BODY.replace('"gpt-x-2026-01-01"', '"gpt-x"').replace(':12 }', ':12,"cost":0.00000042 }'),
    );
  });

  test('adds counted usage if the upstream sent none or an invalid one', () => {
    const usage = usageOf({ input: 3, output: 4 });
    for (const upstream of [
      '',
      ',"usage":null',
      ',"usage":{"prompt_tokens":0,"completion_tokens":0}',
      ',"usage":"?"',
    ]) {
      const body = `{"model":"m","choices":[]${upstream}}`;
      const edited: unknown = JSON.parse(
        editCompletion(completion(body), { model: 'm', cost: '1.5', usage }).toString(),
      );
      expect(edited).toMatchObject({
        model: 'm',
        choices: [],
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cost: 1.5 },
      });
    }
  });
});
