import { describe, expect, it } from 'vitest';
import { runToEnd } from '../../lists/stages.ts';
import { type CreateMessage, maxBodyBytes, messageBody, readSocketMessage } from './message.ts';

function read(value: unknown): CreateMessage {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const result = readSocketMessage(Buffer.from(text));
  if (result.kind !== 'create') throw new Error(`not a message: ${JSON.stringify(result)}`);
  return result.message;
}

function bodyOf(value: unknown, earlier?: string) {
  const message = read(value);
  const kept = earlier === undefined ? undefined : Buffer.from(earlier);
  const { bytes, items } = runToEnd(messageBody(message, kept));
  expect(bytes.length).toBeLessThanOrEqual(maxBodyBytes(message, kept));
  return { body: JSON.parse(bytes.toString()) as unknown, items: items?.toString(), text: bytes.toString() };
}

const HI = '{"role":"user","content":"Hi"}';

describe('the body that a message stands for', () => {
  it('has all members but those of messages, and is streamed', () => {
    const message = {
      type: 'response.create',
      model: 'm',
      stream: false,
      generate: true,
      stream_id: 'main',
      previous_response_id: 'resp_1',
      input: [JSON.parse(HI)],
      tools: [],
    };
    expect(bodyOf(message).body).toEqual({ model: 'm', stream: true, input: [JSON.parse(HI)], tools: [] });
  });

  it('keeps the bytes of other members', () => {
    const text = '{ "type":"response.create", "temperature": 1.0 ,"x":"\\u00e9", "input":"Hi" }';
    expect(bodyOf(text).text).toBe('{"stream":true,"temperature": 1.0,"x":"\\u00e9","input":"Hi"}');
  });

  it.each<[string, unknown, string, unknown]>([
    ['a list', [{ role: 'user', content: 'And?' }], '{"role":"user","content":"And?"}', undefined],
    ['a text', 'And?', '{"type":"message","role":"user","content":"And?"}', undefined],
    ['an empty list', [], '', undefined],
    ['nothing', undefined, '', undefined],
    ['null', null, '', undefined],
  ])('puts earlier items before %s', (_, input, items) => {
    const found = bodyOf({ type: 'response.create', input }, HI);
    const all = [HI, ...(items === '' ? [] : [items])];
    expect(found.items).toBe(all.join(','));
    expect(found.body).toEqual({ stream: true, input: all.map((item) => JSON.parse(item) as unknown) });
  });

  it('leaves an input of another type for the request’s own checks', () => {
    expect(bodyOf({ type: 'response.create', input: 7 }, HI)).toEqual({
      body: { stream: true, input: 7 },
      items: undefined,
      text: '{"stream":true,"input":7}',
    });
  });

  it('remembers a text as the message that it stands for', () => {
    const { body, items } = bodyOf({ type: 'response.create', input: 'Hi "you"' });
    expect(body).toEqual({ stream: true, input: 'Hi "you"' });
    expect(JSON.parse(items ?? '')).toEqual({ type: 'message', role: 'user', content: 'Hi "you"' });
  });
});

describe('a message', () => {
  it('names what it continues, its conversation, and whether it is a warm-up', () => {
    const message = { type: 'response.create', previous_response_id: 'resp_1', stream_id: 'a', generate: false };
    expect(read(message)).toMatchObject({ previousResponseId: 'resp_1', streamId: 'a', generates: false });
    expect(read({ type: 'response.create', previous_response_id: null, generate: null })).toMatchObject({
      previousResponseId: undefined,
      generates: true,
    });
  });

  it('that acknowledges a response needs none', () => {
    expect(readSocketMessage(Buffer.from('{"type":"response.processed","response_id":"resp_1"}'))).toEqual({
      kind: 'ignored',
    });
  });

  it.each([
    ['no type', {}, 'type'],
    ['another type', { type: 'response.steer' }, 'type'],
    ['a number as its type', { type: 1 }, 'type'],
    ['a text as generate', { type: 'response.create', generate: 'no' }, 'generate'],
    ['an empty id', { type: 'response.create', previous_response_id: '' }, 'previous_response_id'],
    ['a long id', { type: 'response.create', previous_response_id: 'x'.repeat(10_000) }, 'previous_response_id'],
    ['a number as stream id', { type: 'response.create', stream_id: 1 }, 'stream_id'],
  ])('with %s is invalid, and the error names the field', (_, message, path) => {
    expect(readSocketMessage(Buffer.from(JSON.stringify(message)))).toMatchObject({ kind: 'invalid', error: { path } });
  });

  it.each(['', '{', '[]', '{"type":"response.create"} x', '{"a":1,"a":2}'])('%j is invalid', (text) => {
    expect(readSocketMessage(Buffer.from(text))).toMatchObject({ kind: 'invalid' });
  });
});
