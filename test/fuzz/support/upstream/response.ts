import { gzipSync } from 'node:zlib';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { NO_USAGE, type Usage } from '../arithmetic.ts';
import { mutateJson, writeJson } from '../json-mutation.ts';
import { chance, type Random } from '../random.ts';
import { type Content, makeContent, makeTruth, type Truth } from './content.ts';
import type { StreamEvent } from './events.ts';
import { type Mode, modeOf, WHOLE_MODES } from './modes.ts';
import { figuresOf, isObject, readReport } from './read-usage.ts';
import { refusal } from './refusal.ts';
import { lieAbout } from './report-lies.ts';
import { damageEvents, frame } from './stream-damage.ts';
import { chatStream, chatUsage, chatWhole } from './write-chat.ts';
import { geminiStream, geminiUsage, geminiWhole } from './write-gemini.ts';
import { messagesStartUsage, messagesStream, messagesUsage, messagesWhole } from './write-messages.ts';
import { responsesStream, responsesUsage, responsesWhole } from './write-responses.ts';

/** A call of the gateway to the upstream. */
export interface UpstreamCall {
  protocol: ProtocolName;
  model: string;
  streamed: boolean;
  /** Its credential and body, for errors that repeat them. */
  credential: string;
  body: string;
}

/** An upstream's usage, according to the test's own parser. */
export type Report =
  /** Readable, and this is the usage if it is plausible. */
  | { kind: 'reported'; usage: Usage }
  /** The input is known, but not the output. */
  | { kind: 'input'; usage: Usage }
  /** Not all of it follows the documentation, so what is read of it may be an estimate or some of its figures. */
  | { kind: 'partial'; figures: number }
  | { kind: 'none' }
  /** The response was mutated beyond the parser's ability. */
  | { kind: 'unknown' };

/** A response, and the facts for the judge. */
export interface UpstreamResponse {
  mode: Mode;
  status: number;
  headers: Record<string, string>;
  /** Sent in sequence, with `pauseMs` between them. */
  pieces: Buffer[];
  pauseMs: number;
  ending: 'end' | 'reset' | 'stall';
  /** The response is complete and correct, except for its usage. */
  isWhole: boolean;
  report: Report;
  /** Bytes of the generated content. */
  textBytes: number;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const SSE_TYPE = { 'content-type': 'text/event-stream; charset=utf-8' };
const ODD_FINISH: readonly unknown[] = [
  'x'.repeat(1_000),
  'a\u0000b',
  '\ud800',
  7,
  {},
  null,
  '',
  'unheard_of',
  'é'.repeat(80),
];

export function answerCall(random: Random, call: UpstreamCall): UpstreamResponse {
  const mode = modeOf(random);
  if (mode === 'refusal') return refusal(random, call);
  const content = makeContent(random, call.model);
  const truth = makeTruth(random, content);
  if (mode === 'large') content.pieces.push('long '.repeat(chance(random, 200) ? 60_000 : 8_000));
  const honest = usageOf(call.protocol, truth);
  const usage = mode === 'usage' ? lieAbout(random, honest) : honest;
  const body = call.streamed
    ? streamBody(random, call, mode, content, truth, usage)
    : wholeBody(random, call, mode, content, usage);
  const text = [content.pieces.join(''), content.reasoning, content.tool?.name, content.tool?.args].join('');
  const isWhole = WHOLE_MODES.has(mode);
  return {
    mode,
    status: 200,
    headers: call.streamed ? SSE_TYPE : JSON_TYPE,
    pauseMs: mode === 'slow' ? 20 + random.below(60) : 0,
    ending: mode === 'stall' ? 'stall' : 'end',
    isWhole,
    textBytes: Buffer.byteLength(text),
    ...body,
    report: isWhole ? body.report : { kind: 'unknown' },
  };
}

type Body = Pick<UpstreamResponse, 'pieces' | 'report'> &
  Partial<Pick<UpstreamResponse, 'headers' | 'ending' | 'status'>>;

function wholeBody(random: Random, call: UpstreamCall, mode: Mode, content: Content, usage: unknown): Body {
  const value = wholeOf(call.protocol, content, usage);
  if (mode === 'finish') setFinish(value, random.pick(ODD_FINISH as [unknown, ...unknown[]]));
  const text = mode === 'fields' ? mutateJson(random, value, 1 + random.below(4)).text : writeJson(value);
  const bytes = Buffer.from(text);
  const report = reportOf(call.protocol, usage);
  switch (mode) {
    case 'cut':
      return {
        pieces: [bytes.subarray(0, random.below(bytes.length))],
        report,
        ending: chance(random, 500) ? 'reset' : 'end',
      };
    case 'error':
      return { pieces: [Buffer.from(errorText(call))], report };
    case 'garbage':
      return garbage(random, bytes, report);
    case 'stall':
      return { pieces: [bytes.subarray(0, random.below(20))], report };
    case 'framing':
    case 'slow':
      return { pieces: split(random, bytes, 5), report };
    default:
      return { pieces: [bytes], report };
  }
}

function streamBody(
  random: Random,
  call: UpstreamCall,
  mode: Mode,
  content: Content,
  truth: Truth,
  usage: unknown,
): Body {
  const { protocol } = call;
  const startUsage = messagesStartUsage(truth);
  let events = streamOf(protocol, content, startUsage, usage);
  const report = protocol === 'anthropic-messages' ? mergedReport(startUsage, usage) : reportOf(protocol, usage);
  switch (mode) {
    case 'finish':
      for (const { data } of events)
        if (isObject(data)) setFinish(data, random.pick(ODD_FINISH as [unknown, ...unknown[]]));
      break;
    case 'fields':
      events = events.map((each) =>
        chance(random, 200) && each.text === undefined
          ? { ...each, text: mutateJson(random, each.data, 1 + random.below(2)).text.replaceAll('\n', ' ') }
          : each,
      );
      break;
    case 'events':
      events = damageEvents(random, events);
      break;
    case 'error':
      events.splice(random.below(events.length + 1), events.length, {
        name: 'error',
        data: undefined,
        text: errorText(call),
      });
      break;
    default:
  }
  const bytes = frame(random, events, mode === 'framing');
  switch (mode) {
    case 'cut':
      return {
        pieces: [bytes.subarray(0, random.below(bytes.length))],
        report,
        ending: chance(random, 500) ? 'reset' : 'end',
      };
    case 'garbage':
      return garbage(random, bytes, report);
    case 'stall':
      return { pieces: [bytes.subarray(0, random.below(bytes.length))], report };
    case 'framing':
      return { pieces: split(random, bytes, 8), report };
    case 'slow':
      return { pieces: split(random, bytes, 6), report };
    default:
      return { pieces: [bytes], report };
  }
}

function garbage(random: Random, bytes: Buffer, report: Report): Body {
  const at = random.below(bytes.length);
  return random.pick<Body>([
    { pieces: [bytes], report, headers: { 'content-type': 'text/html' } },
    { pieces: [Buffer.from('<html>busy</html>')], report },
    { pieces: [gzipSync(bytes)], report, headers: { ...SSE_TYPE, 'content-encoding': 'gzip' } },
    { pieces: [Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xfe, 0]), bytes.subarray(at)])], report },
    { pieces: [Buffer.alloc(0)], report },
    { pieces: [Buffer.from('data: null\n\ndata: 1\n\ndata: []\n\n')], report },
    { pieces: [bytes], report, status: 204, headers: {} },
    { pieces: [bytes], report, headers: { ...JSON_TYPE, 'x-odd': 'a\u00e9'.repeat(200) } },
  ]);
}

/** An error in the usual shape of providers, with content that must not be forwarded. */
function errorText({ credential, body }: UpstreamCall): string {
  const message = `Bad key ${credential} in ${body}`;
  return JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message, code: credential } });
}

function split(random: Random, bytes: Buffer, pieces: number): Buffer[] {
  const cuts = Array.from({ length: pieces }, () => random.below(bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length));
}

function usageOf(protocol: ProtocolName, truth: Truth): object {
  switch (protocol) {
    case 'openai-chat':
      return chatUsage(truth);
    case 'openai-responses':
      return responsesUsage(truth);
    case 'anthropic-messages':
      return messagesUsage(truth);
    case 'gemini':
      return geminiUsage(truth);
    default:
      return protocol satisfies never;
  }
}

function wholeOf(protocol: ProtocolName, content: Content, usage: unknown): object {
  switch (protocol) {
    case 'openai-chat':
      return chatWhole(content, usage);
    case 'openai-responses':
      return responsesWhole(content, usage);
    case 'anthropic-messages':
      return messagesWhole(content, usage);
    case 'gemini':
      return geminiWhole(content, usage);
    default:
      return protocol satisfies never;
  }
}

function streamOf(protocol: ProtocolName, content: Content, startUsage: unknown, usage: unknown): StreamEvent[] {
  switch (protocol) {
    case 'openai-chat':
      return chatStream(content, usage);
    case 'openai-responses':
      return responsesStream(content, usage);
    case 'anthropic-messages':
      return messagesStream(content, startUsage, usage);
    case 'gemini':
      return geminiStream(content, usage);
    default:
      return protocol satisfies never;
  }
}

function reportOf(protocol: ProtocolName, report: unknown): Report {
  const usage = readReport(protocol, report);
  if (usage === undefined || figuresOf(totalOf(report)) > figuresOf(usage)) return unreadable(report);
  return { kind: 'reported', usage };
}

/** OpenAI's total. If it is more than the parts that are read, some providers mean other tokens by the rest. */
function totalOf(report: unknown): unknown {
  return isObject(report) ? report['total_tokens'] : undefined;
}

/** A report that the test's own parser cannot read as a whole. */
export function unreadable(report: unknown): Report {
  const figures = figuresOf(report);
  return figures === 0 ? { kind: 'none' } : { kind: 'partial', figures };
}

/**
 * `message_delta` overrides `message_start`; absent and null fields keep their value, except for the output, which the
 * start does not know.
 */
function mergedReport(start: object, delta: unknown): Report {
  const said = isObject(delta) ? Object.fromEntries(Object.entries(delta).filter(([, value]) => value !== null)) : {};
  const merged: Record<string, unknown> = { ...start, ...said };
  // A count that is 0 at the end may have been known at the start only.
  if (Object.entries(start).some(([name, count]) => merged[name] === 0 && figuresOf(count) > 0))
    return unreadable({ start, said });
  if ('output_tokens' in said) return reportOf('anthropic-messages', merged);
  const input = readReport('anthropic-messages', { ...merged, output_tokens: 0, output_tokens_details: null });
  if (input === undefined || figuresOf(merged['output_tokens']) > 0) return unreadable(merged);
  return { kind: 'input', usage: { ...NO_USAGE, ...input } };
}

/** Sets the finish reason wherever the response or event has one. */
function setFinish(value: object, reason: unknown): void {
  for (const [key, member] of Object.entries(value)) {
    if (['finish_reason', 'stop_reason', 'finishReason'].includes(key) && member !== null && member !== undefined)
      Object.assign(value, { [key]: reason });
    else if (typeof member === 'object' && member !== null) setFinish(member as object, reason);
  }
}
