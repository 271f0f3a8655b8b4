import type { Endpoint } from '../gateway/endpoints.ts';
import { parse } from '../gateway/http.ts';
import { at } from '../gateway/json.ts';
import { nanos } from '../gateway/money.ts';

export type Protocol = Endpoint['protocol'];

/** What a client received of a response. */
export interface CallResponse {
  /** Whether it is complete: the final event of a stream, or the entire body. */
  ended: boolean;
  /** All generated text. */
  text: string;
  /** Whether it is or contains an error. */
  isError: boolean;
  /** Its cost, in nano-dollars. */
  reported: bigint | undefined;
}

/** Reads the received part of a buffered body. @param clean whether the connection ended it properly */
export function readBuffered(protocol: Protocol, raw: string, clean: boolean): CallResponse {
  const body = parse(raw);
  const reported = reportedCost(raw);
  if (!clean || body === undefined) return { ended: false, text: '', isError: false, reported };
  if (at(body, 'error') != null) return { ended: true, text: '', isError: true, reported };
  return { ended: true, text: textOfWhole(protocol, body), isError: false, reported };
}

/** Reads the received part of a stream. */
export function readStreamed(protocol: Protocol, raw: string): CallResponse {
  // An event is complete after an empty line.
  const buffered = raw.slice(0, Math.max(raw.lastIndexOf('\n\n'), raw.lastIndexOf('\r\n\r\n'), 0));
  const data = [...buffered.matchAll(/^data: ?(.*)$/gm)].map((match) => (match[1] ?? '').trimEnd());
  const events = data.filter((each) => each !== '[DONE]').map(parse);
  return {
    ended: isEnded(protocol, data, events),
    text: events.map((event) => textOfEvent(protocol, event)).join(''),
    isError: events.some((event) => at(event, 'error') != null || at(event, 'response', 'error') != null),
    reported: reportedCost(buffered),
  };
}

function textOfWhole(protocol: Protocol, body: unknown): string {
  switch (protocol) {
    case 'openai-chat':
      return text(at(body, 'choices', 0, 'message', 'content'));
    case 'openai-responses':
      return list(at(body, 'output'))
        .flatMap((item) => list(at(item, 'content')))
        .map((part) => text(at(part, 'text')))
        .join('');
    case 'anthropic-messages':
      return list(at(body, 'content'))
        .map((part) => text(at(part, 'text')))
        .join('');
    case 'gemini':
      return geminiText(body);
    default:
      return protocol satisfies never;
  }
}

function textOfEvent(protocol: Protocol, event: unknown): string {
  switch (protocol) {
    case 'openai-chat':
      return text(at(event, 'choices', 0, 'delta', 'content'));
    case 'openai-responses':
      return at(event, 'type') === 'response.output_text.delta' ? text(at(event, 'delta')) : '';
    case 'anthropic-messages':
      return at(event, 'type') === 'content_block_delta' ? text(at(event, 'delta', 'text')) : '';
    case 'gemini':
      return geminiText(event);
    default:
      return protocol satisfies never;
  }
}

function isEnded(protocol: Protocol, data: readonly string[], events: readonly unknown[]): boolean {
  switch (protocol) {
    case 'openai-chat':
      return data.at(-1) === '[DONE]';
    case 'openai-responses':
      return events.some((event) => at(event, 'type') === 'response.completed');
    case 'anthropic-messages':
      return events.some((event) => at(event, 'type') === 'message_stop');
    case 'gemini':
      return events.some((event) => at(event, 'candidates', 0, 'finishReason') !== undefined);
    default:
      return protocol satisfies never;
  }
}

function geminiText(body: unknown): string {
  return list(at(body, 'candidates', 0, 'content', 'parts'))
    .map((part) => text(at(part, 'text')))
    .join('');
}

/** The last cost in a body: streams report it at their end. */
function reportedCost(raw: string): bigint | undefined {
  const spelled = [...raw.matchAll(/"cost":\s*(\d[0-9.]*)/g)].at(-1)?.[1];
  return spelled === undefined ? undefined : nanos(spelled);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
