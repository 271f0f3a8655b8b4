import { describe, expect, it } from 'vitest';
import { continuableResponse, continuationEvent, socketErrorEvent, socketEvent } from './events.ts';

const NO_EXTRAS = { streamId: undefined, headers: undefined };

describe('an event', () => {
  it('keeps its bytes', () => {
    const data = Buffer.from('{"type": "response.created" }');
    expect(socketEvent(data, NO_EXTRAS)).toBe(data);
  });

  it('gets headers and stream id at its end', () => {
    const data = Buffer.from('{"type":"x","a":{"b":1}} ');
    const event = socketEvent(data, { streamId: 'ma"in', headers: { 'x-request-id': '1' } });
    expect(JSON.parse(event.toString())).toEqual({
      type: 'x',
      a: { b: 1 },
      headers: { 'x-request-id': '1' },
      stream_id: 'ma"in',
    });
  });
});

describe('an event of a response that continues another one', () => {
  const response = { id: 'resp_2', previous_response_id: null, output: [{ previous_response_id: null }] };

  it.each(['response.created', 'response.completed', 'response.failed'])('%s names it', (type) => {
    const data = Buffer.from(JSON.stringify({ type, response, sequence_number: 1 }));
    expect(JSON.parse(continuationEvent(data, type, 'resp_"1').toString())).toEqual({
      type,
      response: { ...response, previous_response_id: 'resp_"1' },
      sequence_number: 1,
    });
  });

  it.each([
    ['response.output_text.delta', { delta: 'a', response }],
    ['response.created', { response: null }],
  ])('%s without the response object keeps its bytes', (type, members) => {
    const data = Buffer.from(JSON.stringify({ type, ...members }));
    expect(continuationEvent(data, type, 'resp_1')).toBe(data);
  });
});

describe('a response that can be continued', () => {
  it.each(['response.completed', 'response.incomplete'])('is in %s', (type) => {
    const output = [{ type: 'message', id: 'msg_1' }, { type: 'reasoning' }];
    const found = continuableResponse(Buffer.from(JSON.stringify({ type, response: { id: 'resp_1', output } })));
    expect(found?.id).toBe('resp_1');
    expect(JSON.parse(`[${found?.output.toString()}]`)).toEqual(output);
  });

  it.each([
    { type: 'response.created', response: { id: 'resp_1', output: [] } },
    { type: 'response.failed', response: { id: 'resp_1', output: [] } },
    { type: 'response.output_text.delta', delta: '"response.completed"' },
    { type: 'response.completed', response: { output: [] } },
    { type: 'response.completed', response: { id: 'resp_1' } },
  ])('is not in %j', (event) => {
    expect(continuableResponse(Buffer.from(JSON.stringify(event)))).toBeUndefined();
  });
});

describe('an error event', () => {
  const contract = { message: 'No.', type: 'rate_limit_exceeded', code: 429, details: null };

  it('has the fields of the contract, and a text as its code', () => {
    const body = Buffer.from(JSON.stringify({ error: contract, trace_id: 't' }));
    const event = socketErrorEvent({ status: 429, body, headers: { 'retry-after': '1' } }, {}, 'main');
    expect(JSON.parse(event)).toEqual({
      type: 'error',
      status: 429,
      error: { ...contract, code: 'rate_limit_exceeded', param: null },
      trace_id: 't',
      headers: { 'retry-after': '1' },
      stream_id: 'main',
    });
  });

  it('has the code and the parameter that clients of OpenAI know', () => {
    const body = Buffer.from(JSON.stringify({ error: contract }));
    const fields = { code: 'previous_response_not_found', param: 'previous_response_id' };
    expect(JSON.parse(socketErrorEvent({ status: 400, body, headers: {} }, fields, undefined))).toMatchObject({
      error: fields,
    });
  });

  it('is one even if the error response is not readable', () => {
    const event = socketErrorEvent({ status: 502, body: Buffer.from('<html>'), headers: {} }, {}, undefined);
    expect(JSON.parse(event)).toEqual({
      type: 'error',
      status: 502,
      error: { param: null, code: 'internal_error' },
      headers: {},
    });
  });
});
