import { type ControlsResult, DIRECTIVE, readControls } from '../controls/read.ts';
import type { Controls, StatusFailure } from '../controls/schema.ts';
import type { Exchange } from '../exchange.ts';
import { type Conversation, directiveText } from '../model/conversation.ts';
import type { BufferedResponse } from '../protocol.ts';
import { deliverStream, type StreamEvent, type StreamForm } from './stream.ts';
import { failTransport } from './transport-failure.ts';

/** One answer in its two forms, and how its protocol fails. */
export interface ResponseRendering {
  /** The JSON of the buffered response. */
  json: () => string;
  /** Headers of the response, whole or streamed. */
  headers: Record<string, string>;
  /** The events and their form; undefined when the response is to be whole. */
  stream?: { form: StreamForm; events: () => Iterable<StreamEvent> } | undefined;
  /** Tokens that a buffered response takes its time for. */
  tokens: number;
  renderFailure: (failure: StatusFailure, retryAfterSeconds: number | undefined) => BufferedResponse;
}

/** The controls of a call: of its `simulate` field, and of a directive in its conversation. */
export function controlsOf(field: unknown, conversation: Conversation): ControlsResult {
  return readControls(field, directiveText(conversation.turns, DIRECTIVE));
}

/** Answers a call as its controls say: late, not at all, broken, whole or streamed. */
export async function respond(exchange: Exchange, controls: Controls, wire: ResponseRendering): Promise<void> {
  if (controls.head_delay_ms !== undefined) await exchange.pause(controls.head_delay_ms);
  const failure = failureOf(exchange, controls);
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

/** The failure this call meets, if any: with `fail_first`, only the first calls of the key fail. */
function failureOf(exchange: Exchange, controls: Controls): Controls['fail'] {
  if (controls.fail_first === undefined) return controls.fail;
  const { key, count } = controls.fail_first;
  return exchange.failFirst.shouldFail(key, count) ? (controls.fail ?? 500) : undefined;
}

function padded(json: string, controls: Controls): string {
  if (controls.padding_bytes === undefined) return json;
  return `${json.slice(0, -1)},"padding":"${'x'.repeat(controls.padding_bytes)}"}`;
}
