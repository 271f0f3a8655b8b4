import { type Controls, NO_CONTROLS } from '../controls/schema.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** One server-sent event and the delay before it. */
export interface StreamEvent {
  /** Name for the `event:` line; most protocols have none. */
  name?: string;
  data: string;
  delayMs: number;
}

/** A protocol's error within a stream. */
export interface StreamForm {
  contentType: string;
  headers: Record<string, string>;
  /** The event that reports an error after a number of events. */
  errorEvent: (sent: number) => StreamEvent;
  /** Server-sent events (default), or one JSON array whose elements are the events. */
  framing?: 'sse' | 'json-array';
  /** Whether lines end in CRLF, as with some providers. */
  crlf?: boolean;
}

/** Events to be split are combined up to about this size. */
const SPLIT_CHARACTERS = 32_768;
/** Time for written data to reach the caller before the connection is reset. */
const BEFORE_RESET_MS = 250;
const GARBAGE = '{"id":"chatcmpl-\u0001 not json';

/** Sends events as a stream, with the faults of the controls. */
export async function deliverStream(
  exchange: Exchange,
  form: StreamForm,
  events: Iterable<StreamEvent>,
  controls: Controls,
): Promise<void> {
  exchange.recorder.stats.open_streams += 1;
  try {
    await sendEvents(exchange, form, events, controls);
  } finally {
    exchange.recorder.stats.open_streams -= 1;
  }
}

async function sendEvents(
  exchange: Exchange,
  form: StreamForm,
  events: Iterable<StreamEvent>,
  controls: Controls,
): Promise<void> {
  exchange.record.status = 200;
  exchange.response.writeHead(200, { 'content-type': form.contentType, ...form.headers });
  const { record } = exchange;
  let pending = '';
  for (const event of events) {
    if (event.delayMs > 0) {
      await flush(exchange, pending, controls);
      pending = '';
      await exchange.pause(event.delayMs);
    }
    if (exchange.closed) return;
    const fault = faultAt(record.events, controls);
    if (fault !== undefined) {
      exchange.response.flushHeaders();
      await flush(exchange, pending, controls);
      await breakStream(exchange, form, fault, controls);
      return;
    }
    if (record.events === controls.garbage_after_events) {
      pending += frame(form, { data: GARBAGE, delayMs: 0 }, record.events, NO_CONTROLS);
    }
    pending += frame(form, record.events === 1 ? padded(event, controls) : event, record.events, controls);
    record.events += 1;
    // A provider sends each event in a chunk of its own. Events to be split are combined, so that parts span two of them.
    if (controls.split_bytes === undefined || pending.length >= SPLIT_CHARACTERS) {
      await flush(exchange, pending, controls);
      pending = '';
    }
  }
  await flush(exchange, pending + ending(form, record.events), controls);
  if (!exchange.closed) exchange.response.end();
}

type StreamFault = 'reset' | 'stall' | 'end' | 'error';

function faultAt(sent: number, controls: Controls): StreamFault | undefined {
  if (sent === controls.reset_after_events) return 'reset';
  if (sent === controls.stall_after_events) return 'stall';
  if (sent === controls.end_after_events) return 'end';
  if (sent === controls.error_after_events) return 'error';
  return undefined;
}

async function breakStream(
  exchange: Exchange,
  form: StreamForm,
  fault: StreamFault,
  controls: Controls,
): Promise<void> {
  switch (fault) {
    case 'reset':
      await exchange.pause(BEFORE_RESET_MS);
      if (!exchange.closed) exchange.reset();
      return;
    case 'stall':
      await exchange.stall();
      return;
    case 'end':
      await flush(exchange, ending(form, exchange.record.events), controls);
      exchange.response.end();
      return;
    case 'error': {
      const sent = exchange.record.events;
      const event = frame(form, form.errorEvent(sent), sent, controls);
      await flush(exchange, event + ending(form, sent + 1), controls);
      exchange.response.end();
      return;
    }
    default:
      return fault satisfies never;
  }
}

/**
 * Encodes an event. https://html.spec.whatwg.org/multipage/server-sent-events.html
 *
 * @param sent number of earlier events: in an array, a bracket precedes the first element and a comma the others
 */
function frame(form: StreamForm, event: StreamEvent, sent: number, controls: Controls): string {
  if (form.framing === 'json-array') return `${sent === 0 ? '[' : ',\r\n'}${event.data}\n`;
  const end = (controls.crlf ?? form.crlf) === true ? '\r\n' : '\n';
  const comment = controls.comments === true ? `: simulated comment${end}${end}` : '';
  const name = event.name === undefined ? '' : `event: ${event.name}${end}`;
  return `${comment}${name}data: ${event.data}${end}${end}`;
}

/** The end of a stream that is one JSON array. */
function ending(form: StreamForm, sent: number): string {
  if (form.framing !== 'json-array') return '';
  return sent === 0 ? '[]' : ']';
}

/** Adds an unknown field of the given size to an event, to make it unusually large. */
function padded(event: StreamEvent, controls: Controls): StreamEvent {
  if (controls.padding_bytes === undefined || !event.data.startsWith('{')) return event;
  return { ...event, data: `{"padding":"${'x'.repeat(controls.padding_bytes)}",${event.data.slice(1)}` };
}

async function flush(exchange: Exchange, text: string, controls: Controls): Promise<void> {
  if (text === '') return;
  if (controls.split_bytes === undefined) return exchange.write(text);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length && !exchange.closed; at += controls.split_bytes) {
    await exchange.write(bytes.subarray(at, at + controls.split_bytes));
    // Yields to the event loop between two writes, so that the system does not combine them into one packet.
    await new Promise(setImmediate);
  }
}
