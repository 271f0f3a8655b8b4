import { readControls } from '../controls/read.ts';
import type { Controls, StatusFailure, TransportFailure } from '../controls/schema.ts';
import { deliverStream, type StreamForm } from '../delivery/stream.ts';
import { failTransport } from '../delivery/transport-failure.ts';
import type { Exchange } from '../exchange.ts';
import { chunkEvents } from './chunks.ts';
import { completionJson } from './completion.ts';
import { invalidRequest, renderFailure } from './errors.ts';
import { type Plan, planAnswer } from './plan.ts';
import { type ChatRequest, lastUserText, readRequest } from './request.ts';

const STREAM_TYPE = 'text/event-stream; charset=utf-8';
const ERROR_EVENT = {
  data: JSON.stringify({
    error: {
      message: 'The server had an error while processing your request. (simulated)',
      type: 'server_error',
      param: null,
      code: null,
    },
  }),
  delayMs: 0,
};

/** POST /v1/chat/completions */
export async function answerChatCompletions(exchange: Exchange): Promise<void> {
  const text = exchange.body.toString('utf8');
  exchange.recorder.keepBody(exchange.record, text, exchange.body.length);
  const read = readRequest(text);
  if (!read.ok) return exchange.send(read.answer);
  const { request } = read;
  const result = readControls(request.simulate, lastUserText(request.messages));
  if (!result.ok) return exchange.send(invalidRequest(result.message, 'simulate', 'invalid_value'));
  const { controls } = result;
  const plan = planAnswer(request, exchange.body, controls);
  if (controls.head_delay_ms !== undefined) await exchange.pause(controls.head_delay_ms);
  const failure = failureOf(exchange, controls);
  if (failure !== undefined) return fail(exchange, failure, plan, controls);
  return request.stream ? stream(exchange, request, plan, controls) : answerWhole(exchange, plan, controls);
}

/** The failure this call meets, if any: with `fail_first`, only the first calls of the key fail. */
function failureOf(exchange: Exchange, controls: Controls): Controls['fail'] {
  if (controls.fail_first === undefined) return controls.fail;
  const { key, count } = controls.fail_first;
  return exchange.failFirst.shouldFail(key, count) ? (controls.fail ?? 500) : undefined;
}

async function fail(
  exchange: Exchange,
  failure: StatusFailure | TransportFailure,
  plan: Plan,
  controls: Controls,
): Promise<void> {
  switch (failure) {
    case 'reset':
    case 'stall':
    case 'garbage':
    case 'truncated':
    case 'empty':
    case 'wrong_content_type':
      return failTransport(exchange, failure, completionJson(plan, controls));
    default:
      exchange.send(renderFailure(failure, controls.retry_after_s));
  }
}

function stream(exchange: Exchange, request: ChatRequest, plan: Plan, controls: Controls): Promise<void> {
  const form: StreamForm = { contentType: STREAM_TYPE, headers: answerHeaders(plan), errorEvent: ERROR_EVENT };
  return deliverStream(exchange, form, chunkEvents(plan, request, controls), controls);
}

async function answerWhole(exchange: Exchange, plan: Plan, controls: Controls): Promise<void> {
  const thinking = (controls.first_token_delay_ms ?? 0) + (controls.token_delay_ms ?? 0) * plan.pieces.length;
  if (thinking > 0) await exchange.pause(thinking);
  const headers = { 'content-type': 'application/json', ...answerHeaders(plan) };
  exchange.send({ status: 200, headers, body: completionJson(plan, controls) });
}

function answerHeaders(plan: Plan): Record<string, string> {
  return { 'x-request-id': `req_${plan.id.slice(9)}`, 'openai-version': '2020-10-01' };
}
