import { type ControlsResult, DIRECTIVE, readControls } from '../controls/read.ts';
import type { Controls, StatusFailure } from '../controls/schema.ts';
import { scriptStep, scriptText } from '../controls/script.ts';
import type { BufferedResponse } from '../exchange/buffered-response.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { FORCED_OVERFLOW, type Overflow, overflowOf } from '../model/context-window.ts';
import { type Conversation, directiveText } from '../model/conversation.ts';
import { deliverStream, type StreamEvent, type StreamForm } from './stream.ts';
import { failTransport } from './transport-failure.ts';

/** A response in both forms, and the failures of its protocol. */
export interface ResponseRendering {
  /** The JSON of the buffered response. */
  json: () => string;
  /** Headers of the response, buffered or streamed. */
  headers: Record<string, string>;
  /** The stream's events and format; undefined for a buffered response. */
  stream?: { form: StreamForm; events: () => Iterable<StreamEvent> } | undefined;
  /** Tokens that determine the time of a buffered response. */
  tokens: number;
  /** The prompt, if its length is limited. */
  prompt?: LimitedPrompt;
  renderFailure: (failure: StatusFailure, retryAfterSeconds: number | undefined) => BufferedResponse;
}

export interface LimitedPrompt {
  tokens: number;
  /** The refusal of a prompt that is too long, which some protocols report within a stream. */
  refuse: (overflow: Overflow) => BufferedResponse | { form: StreamForm; events: () => Iterable<StreamEvent> };
}

/** The controls of a call: from its `simulate` field and a directive in its conversation. */
export function controlsOf(field: unknown, conversation: Conversation): ControlsResult {
  const { turns } = conversation;
  const result = readControls(field, directiveText(turns, DIRECTIVE) || (scriptText(turns) ?? ''));
  if (!result.ok || result.controls.script === undefined) return result;
  const { script, ...others } = result.controls;
  return { ok: true, controls: { ...others, ...scriptStep(script, conversation) } };
}

/** Responds to a call as its controls say: late, not at all, broken, buffered or streamed. */
export async function respond(exchange: Exchange, controls: Controls, wire: ResponseRendering): Promise<void> {
  if (controls.head_delay_ms !== undefined) await exchange.pause(controls.head_delay_ms);
  const failure = failureOf(exchange, controls);
  const overflow = overflowIn(exchange, controls, wire, failure);
  if (overflow !== undefined && wire.prompt !== undefined) {
    const refusal = wire.prompt.refuse(overflow);
    if ('status' in refusal) return exchange.send(refusal);
    const form = { ...refusal.form, headers: { ...wire.headers, ...refusal.form.headers } };
    return deliverStream(exchange, form, refusal.events(), controls);
  }
  switch (failure) {
    case undefined:
      break;
    case 'reset':
    case 'stall':
    case 'garbage':
    case 'truncated':
    case 'empty':
    case 'wrong_content_type':
      return failTransport(exchange, failure, wire.json());
    default:
      return exchange.send(wire.renderFailure(failure, controls.retry_after_s));
  }
  if (wire.stream !== undefined) {
    const form = { ...wire.stream.form, headers: { ...wire.headers, ...wire.stream.form.headers } };
    return deliverStream(exchange, form, wire.stream.events(), controls);
  }
  const thinking = (controls.first_token_delay_ms ?? 0) + (controls.token_delay_ms ?? 0) * wire.tokens;
  if (thinking > 0) await exchange.pause(thinking);
  const headers = { 'content-type': 'application/json', ...wire.headers };
  exchange.send({ status: 200, headers, body: padded(wire.json(), controls) });
}

/** How far the prompt exceeds the window, or would if a control asks for the refusal. */
function overflowIn(
  exchange: Exchange,
  controls: Controls,
  { prompt }: ResponseRendering,
  failure: Controls['fail'],
): Overflow | undefined {
  if (prompt === undefined) return undefined;
  if (failure === 'context_length_exceeded') return FORCED_OVERFLOW;
  if (failure !== undefined) return undefined;
  return overflowOf(prompt.tokens, controls.context_window ?? exchange.contextWindow);
}

/** The failure of this call, if any: with `fail_first`, only the first calls of a key fail. */
function failureOf(exchange: Exchange, controls: Controls): Controls['fail'] {
  if (controls.fail_first === undefined) return controls.fail;
  const { key, count } = controls.fail_first;
  return exchange.failFirst.shouldFail(key, count) ? (controls.fail ?? 500) : undefined;
}

function padded(json: string, controls: Controls): string {
  if (controls.padding_bytes === undefined) return json;
  return `${json.slice(0, -1)},"padding":"${'x'.repeat(controls.padding_bytes)}"}`;
}
