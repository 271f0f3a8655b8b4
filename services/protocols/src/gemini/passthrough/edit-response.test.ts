import fc from 'fast-check';
import { expect, test } from 'vitest';
import { usageOf } from '../../canonical/usage.ts';
import { responseTransformer } from './edit-response.ts';

const CONTEXT = { model: 'alias', created: 1, newId: () => 'x', costOf: () => '0' };
const FINAL = { usage: usageOf({ input: 9, output: 9 }), estimated: false, cost: '0.25' };

function read(body: string) {
  return responseTransformer(CONTEXT).transform(Buffer.from(body));
}

function render(body: string, final = FINAL): string | undefined {
  const result = read(body);
  return result.kind === 'response' ? result.render(final).toString() : undefined;
}

const USAGE = '"usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 1}';
const BODY = `{ "candidates": [ {"content":{"parts":[{"text":"a","thought":true},{"text":"b"},{"functionCall":{"name":"f","args":{"n":1.0}}}]}, "finishReason":"STOP"} ], ${USAGE}, "modelVersion": "up-001", "responseId":"r" }`;

test('only the model’s name and the cost change', () => {
  expect(render(BODY)).toBe(
    BODY.replace('"up-001"', '"alias"').replace('"candidatesTokenCount": 1', '"candidatesTokenCount": 1,"cost":0.25'),
  );
});

test('reports usage, finish reason and text', () => {
  expect(read(BODY)).toMatchObject({
    kind: 'response',
    usage: usageOf({ input: 5, output: 1 }),
    finishReason: 'STOP',
    text: 'abf{"n":1}',
  });
});

test('the counted usage replaces a missing or implausible one', () => {
  const own = '"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":9,"totalTokenCount":18,"cost":0.25}';
  expect(render('{"candidates":[{}]}')).toBe(`{"candidates":[{}],"modelVersion":"alias",${own}}`);
  expect(render(BODY, { ...FINAL, estimated: true })).toContain(own.replace('":{', '": {'));
});

test('an estimate keeps how Vertex AI served the call', () => {
  const body = '{"candidates":[{}],"usageMetadata":{"promptTokenCount":"x","trafficType":"ON_DEMAND"}}';
  expect(render(body, { ...FINAL, estimated: true })).toContain('"cost":0.25,"trafficType":"ON_DEMAND"}');
});

test('a blocked prompt is a response, an error with a success status is not', () => {
  expect(read(`{"promptFeedback":{"blockReason":"SAFETY"},${USAGE}}`)).toMatchObject({
    kind: 'response',
    finishReason: 'SAFETY',
  });
  expect(read('{"error":{"message":"m","code":500}}')).toMatchObject({ kind: 'error', error: { message: 'm' } });
});

test.each(['', '[]', '{}', '{"candidates":[]}', '{"candidates":5}', '{"usageMetadata":{}}', '{"candidates":[{}'])(
  '%s is no response',
  (body) => {
    expect(read(body).kind).toBe('malformed');
  },
);

test('never throws', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (candidate, usageMetadata) => {
      expect(render(JSON.stringify({ candidates: [candidate], usageMetadata }))).toContain('"modelVersion":"alias"');
    }),
  );
});
