import fc, { type Arbitrary } from 'fast-check';
import type { OutputPart } from '../../src/canonical/part.ts';
import type { CanonicalResponse, Choice, FinishReason, TokenLogprob } from '../../src/canonical/response.ts';
import type { StreamEvent } from '../../src/canonical/stream.ts';
import type { Tool } from '../../src/canonical/tool.ts';
import { BUCKET_NAMES, type Usage, usageOf } from '../../src/canonical/usage.ts';
import { optionally, someText, spokenPart } from './arbitrary-parts.ts';
import { callOf, callSeed, type ToolSwitches } from './arbitrary-tools.ts';
import { toStreamEvents } from './to-stream-events.ts';

export { MEDIA_KINDS, type MediaKind, type PartSwitches } from './arbitrary-parts.ts';
export { FIELDS, type RequestSwitches, request } from './arbitrary-request.ts';
export type { ToolSwitches } from './arbitrary-tools.ts';

/** The contents of a random response; everything if absent. */
export interface ResponseSwitches extends ToolSwitches {
  readonly maxChoices?: number;
  readonly finishReasons?: readonly FinishReason[];
  readonly stopSequences?: boolean;
  readonly logprobs?: boolean;
  /** At most one text in a response, and nothing after the first tool call but more of them. */
  readonly flat?: boolean;
}

export const FINISH_REASONS: readonly FinishReason[] = [
  'stop',
  'length',
  'context',
  'tool-calls',
  'content-filter',
  'refusal',
  'pause',
  'malformed-call',
  'other',
];

const FUNCTION: Tool = { type: 'function', name: 'tool_0' };
const CUSTOM: Tool = { type: 'custom', name: 'patch' };

/** Any buffered response. */
export function response(switches: ResponseSwitches = {}): Arbitrary<CanonicalResponse> {
  return fc.record({
    id: fc.stringMatching(/^[a-z]{2,6}-[A-Za-z0-9]{4,12}$/),
    created: fc.option(fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }), { nil: undefined }),
    choices: fc.array(choice(switches), { minLength: 1, maxLength: switches.maxChoices ?? 3 }),
    usage: fc.option(usage(), { nil: undefined }),
  });
}

/** A valid stream of any buffered response: cut anywhere, its choices mixed, with usage at several places. */
export function stream(switches: ResponseSwitches = {}): Arbitrary<StreamEvent[]> {
  const pieces = fc.infiniteStream(fc.nat({ max: 1_000 }));
  return fc.tuple(response(switches), pieces).map(([answer, random]) => {
    const next = (below: number) => (random.next().value ?? 0) % below;
    const [start, ...rest] = toStreamEvents(answer);
    const lanes = answer.choices.map((_, i) => rest.filter((event) => choiceOf(event, rest) === i));
    const events: StreamEvent[] = start === undefined ? [] : [start];
    const reports = rest.filter((event) => event.type === 'usage');
    for (let open = lanes.filter(hasMore); open.length > 0; open = lanes.filter(hasMore)) {
      const event = open[next(open.length)]?.shift();
      if (event !== undefined) events.push(...cut(event, next));
      if (next(16) === 0) events.push(...reports);
    }
    return [...events, ...reports];
  });
}

function hasMore(lane: readonly StreamEvent[]): boolean {
  return lane.length > 0;
}

function choiceOf(event: StreamEvent, all: readonly StreamEvent[]): number | undefined {
  if ('choice' in event) return event.choice;
  if (!('part' in event)) return undefined;
  const head = all.find((other) => other.type === 'part-start' && other.part === event.part);
  return head?.type === 'part-start' ? head.choice : undefined;
}

/** A delta split into several, each of complete characters; some of them empty. */
function cut(event: StreamEvent, next: (below: number) => number): StreamEvent[] {
  if (event.type !== 'part-delta') return [event];
  const characters = [...event.text];
  const events: StreamEvent[] = [];
  while (characters.length > 0) {
    const text = characters.splice(0, next(Math.min(characters.length, 5) + 1)).join('');
    events.push({ type: 'part-delta', part: event.part, text });
  }
  return events;
}

function choice(switches: ResponseSwitches): Arbitrary<Choice> {
  const spoken = fc.array(spokenPart(switches), { maxLength: 3 });
  const seeds = fc.uniqueArray(callSeed(switches), { maxLength: 3, selector: (call) => call.id });
  const tools = switches.customTools === false ? [FUNCTION] : [FUNCTION, CUSTOM];
  const order = fc.array(fc.nat({ max: 9 }), { minLength: 6, maxLength: 6 });
  const parts = fc.tuple(spoken, seeds, order).map(([said, called, keys]): OutputPart[] => {
    const all = [...said, ...called.flatMap((seed) => callOf(seed, tools) ?? [])];
    return switches.flat === true ? flat(all) : shuffled(all, keys);
  });
  const finish = optionally(
    fc.record({
      reason: fc.constantFrom(...(switches.finishReasons ?? FINISH_REASONS)),
      raw: fc.constantFrom('stop', 'STOP', 'end_turn'),
    }),
    switches.stopSequences === false ? undefined : { stopSequence: someText },
  );
  const tokens = fc.array(tokenLogprob(), { minLength: 1, maxLength: 2 });
  return optionally(fc.record({ parts, finish }), switches.logprobs === false ? undefined : { logprobs: tokens });
}

function shuffled(parts: readonly OutputPart[], keys: readonly number[]): OutputPart[] {
  const keyed = parts.map((part, i) => ({ part, key: keys[i] ?? 0 }));
  return keyed.sort((a, b) => a.key - b.key).map(({ part }) => part);
}

function flat(parts: readonly OutputPart[]): OutputPart[] {
  const text = parts.findIndex((part) => part.type === 'text');
  const spoken = parts.filter((part, i) => part.type !== 'tool-call' && (part.type !== 'text' || i === text));
  return [...spoken, ...parts.filter((part) => part.type === 'tool-call')];
}

function tokenLogprob(): Arbitrary<TokenLogprob> {
  const one = {
    token: fc.lorem({ maxCount: 1 }),
    logprob: fc.integer({ min: -900, max: 0 }).map((hundredths) => hundredths / 100),
  };
  const other = fc.record(one).map((value) => ({ ...value, bytes: [...Buffer.from(value.token)] }));
  return fc.record({ ...one, top: fc.array(other, { maxLength: 2 }) }).map((value) => ({
    ...value,
    bytes: [...Buffer.from(value.token)],
  }));
}

/** Any usage of tokens. */
export function usage(): Arbitrary<Usage> {
  const tokens = BUCKET_NAMES.filter((bucket) => bucket !== 'image' && bucket !== 'search');
  const quantities = fc.tuple(...tokens.map(() => fc.nat({ max: 100_000 })));
  return quantities.map((counts) => usageOf(Object.fromEntries(tokens.map((bucket, at) => [bucket, counts[at]]))));
}
