import { expect, it } from 'vitest';
import { CREDENTIAL_CANARY } from './canaries.ts';
import { judgeResponse, type Outcome } from './judge-response.ts';
import type { FuzzRequest } from './requests/wire.ts';
import type { Received } from './send.ts';
import type { Mode } from './upstream/modes.ts';
import type { Reached } from './upstream/server.ts';

const TRACE = '0192f0c1-1111-7222-8333-444455556666';

function request(path: string, fields: Partial<FuzzRequest> = {}): FuzzRequest {
  const wire = { method: 'POST', path, headers: [], body: Buffer.from('{}') };
  return {
    kind: 'generate',
    protocol: 'openai-chat',
    model: undefined,
    streamed: true,
    mutations: [],
    wire,
    ...fields,
  };
}

function error(fields: object = {}, more: object = {}): string {
  const said = { message: 'No.', type: 'invalid_request_error', code: 400, details: null, ...fields };
  return JSON.stringify({ error: said, trace_id: TRACE, ...more });
}

function reached(mode: Mode): Reached[] {
  const response = { mode, status: 200, headers: {}, pieces: [], pauseMs: 0, ending: 'end' as const, isWhole: true };
  const call = { protocol: 'openai-chat' as const, traceId: '', isCount: false, bodyBytes: 10, limit: undefined };
  return [{ ...call, response: { ...response, report: { kind: 'none' }, textBytes: 0 } }];
}

function judged(received: Partial<Received>, outcome: Partial<Outcome> = {}) {
  const stream = { 'content-type': 'text/event-stream', 'x-trace-id': TRACE };
  return judgeResponse({
    number: 1,
    request: request('/v1/chat/completions'),
    reached: [],
    received: { status: 200, headers: stream, text: 'data: [DONE]\n\n', ending: 'end', ...received },
    ...outcome,
  });
}

it.each<[string, ReturnType<typeof judged>, string]>([
  ['a complete stream', judged({}), 'complete'],
  ['a stream that ends with an error', judged({ text: `data: {}\n\ndata: ${error()}\n\n` }), 'broken'],
  ['an error', judged({ status: 400, text: error() }), 'rejected'],
  [
    'the fault of the upstream',
    judged({ status: 502, text: error({ code: 502 }) }, { reached: reached('cut') }),
    'rejected',
  ],
  ['a client that disconnected', judged({ status: 0, ending: 'disconnected' }), 'disconnected'],
])('accepts %s', (_, { delivery, findings }, expected) => {
  expect({ delivery, findings }).toEqual({ delivery: expected, findings: [] });
});

it.each<[string, ReturnType<typeof judged>, RegExp]>([
  ['a request that hangs', judged({ ending: 'hung' }), /hung/],
  ['a connection that breaks', judged({ status: 0, ending: 'cut' }), /broke without an answer/],
  ['an answer that is cut', judged({ ending: 'cut' }), /was cut/],
  ['a stream without an end', judged({ text: 'data: {}\n\n' }), /ends silently/],
  ['an error of another trace', judged({ text: `data: ${error().replace(TRACE, 'x')}\n\n` }), /ends silently/],
  ['an answer without a trace', judged({ headers: { 'content-type': 'text/event-stream' } }), /x-trace-id/],
  [
    'a fault of our own',
    judged({ status: 502, text: error({ code: 502 }) }, { reached: reached('honest') }),
    /without cause/,
  ],
  ['status 500', judged({ status: 500, text: error({ code: 500 }) }, { reached: reached('cut') }), /status 500/],
  ['a type that is not on the list', judged({ status: 400, text: error({ type: 'odd' }) }), /error\.type/],
  ['a code that is not the status', judged({ status: 404, text: error() }), /error\.code/],
  ['no shape at all', judged({ status: 404, text: 'Not found' }), /without the error's shape/],
  ['details of no kind', judged({ status: 400, text: error({ details: {} }) }), /error\.details/],
  ['no link to top up', judged({ status: 400, text: error({ type: 'insufficient_balance' }) }), /error\.details/],
  ['a credential', judged({ text: `data: ${CREDENTIAL_CANARY}\n\ndata: [DONE]\n\n` }), /credential/],
  [
    'no status word',
    judged({ status: 400, text: error() }, { request: request('/v1beta/models/x:y') }),
    /error\.status/,
  ],
  ['no type at the top', judged({ status: 400, text: error() }, { request: request('/v1/messages') }), / type/],
  [
    'a trace in a billing error',
    judged({ status: 400, text: error() }, { request: request('/v1/billing/balance') }),
    /members/,
  ],
])('finds %s', (_, { findings }, expected) => {
  expect(findings.join('; ')).toMatch(expected);
});
