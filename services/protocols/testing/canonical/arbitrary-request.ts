import fc, { type Arbitrary } from 'fast-check';
import type { Message } from '../../src/canonical/message.ts';
import { normalForm } from '../../src/canonical/normal-form.ts';
import type { OutputPart } from '../../src/canonical/part.ts';
import {
  type CanonicalRequest,
  EFFORTS,
  type FieldName,
  type Reasoning,
  type RequestFields,
} from '../../src/canonical/request.ts';
import type { Tool } from '../../src/canonical/tool.ts';
import { runToEnd } from '../../src/lists/stages.ts';
import { cacheHint, inputPart, plainText, someText, spokenPart } from './arbitrary-parts.ts';
import {
  type CallSeed,
  callOf,
  callSeed,
  choiceOf,
  choiceSeed,
  type ResultSeed,
  resultOf,
  resultSeed,
  type ToolSwitches,
  tools,
} from './arbitrary-tools.ts';

/** What there may be in a random request. All of it when absent. */
export interface RequestSwitches extends ToolSwitches {
  /** Sets `at` of all pieces and the names of all fields, as a decoder does. Off when absent. */
  readonly placed?: boolean;
  readonly fields?: readonly FieldName[];
  readonly tools?: boolean;
  /** Instructions of the role `developer`. */
  readonly developer?: boolean;
  /** Instructions after the first turn. */
  readonly lateInstructions?: boolean;
  /** Instructions of several parts, and several messages of them. */
  readonly manyInstructions?: boolean;
  readonly participantNames?: boolean;
  /** A conversation that ends in the assistant's own words, for the model to go on with. */
  readonly prefill?: boolean;
}

/** All independent fields. */
export const FIELDS: readonly FieldName[] = [
  'toolChoice',
  'parallelToolCalls',
  'maxOutputTokens',
  'responseFormat',
  'verbosity',
  'temperature',
  'topP',
  'topK',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'logitBias',
  'stop',
  'choices',
  'logprobs',
  'reasoning',
  'cacheKey',
  'cacheRetention',
  'cache',
  'metadata',
  'userId',
  'truncation',
];

/** Any request in normal form: each call is answered by the message after it. */
export function request(switches: RequestSwitches = {}): Arbitrary<CanonicalRequest> {
  const list = switches.tools === false ? fc.constant([]) : tools(switches);
  const choice = choiceSeed(switches);
  return fc
    .tuple(
      list,
      conversation(switches),
      fields(switches),
      choice === undefined ? fc.constant(undefined) : fc.option(choice),
    )
    .map(([given, turns, others, seed]) => {
      const toolChoice = seed === undefined || seed === null ? undefined : choiceOf(seed, given);
      const isWanted = toolChoice !== undefined && (switches.fields?.includes('toolChoice') ?? true);
      const set = isWanted ? { ...others, toolChoice } : others;
      const messages = runToEnd(normalForm(turns.flatMap((turn) => ('role' in turn ? [turn] : roundOf(turn, given)))));
      const built = { messages: uniqueIds(messages), tools: given, names: {}, ...set };
      return switches.placed === true ? placed(built, set) : built;
    });
}

/** What the assistant said and called, yet without tools, and what came of it. */
interface Round {
  readonly said: readonly OutputPart[];
  readonly calls: readonly { readonly call: CallSeed; readonly result: ResultSeed }[];
}

function roundOf({ said, calls }: Round, list: readonly Tool[]): Message[] {
  const called = calls.flatMap(({ call, result }) => {
    const part = callOf(call, list);
    return part === undefined ? [] : [{ part, result: resultOf(result, part) }];
  });
  return [
    { role: 'assistant', parts: [...said, ...called.map(({ part }) => part)] },
    { role: 'tool', parts: called.map(({ result }) => result) },
  ];
}

function conversation(switches: RequestSwitches): Arbitrary<(Message | Round)[]> {
  const first = fc.array(instruction(switches), { maxLength: switches.manyInstructions === false ? 1 : 2 });
  const late =
    switches.lateInstructions === false ? fc.constant([]) : fc.array(instruction(switches), { maxLength: 1 });
  const round: Arbitrary<Round> = fc.record({
    said: fc.array(spokenPart(switches), { maxLength: 3 }),
    calls: fc.array(fc.record({ call: callSeed(switches), result: resultSeed(switches) }), { maxLength: 2 }),
  });
  const question = userTurn(switches);
  const rounds = fc.array(fc.tuple(round, late, question), { maxLength: 3 });
  const last = switches.prefill === false ? fc.constant([]) : fc.array(spoken(switches), { maxLength: 1 });
  return fc
    .tuple(first, question, rounds, last)
    .map(([instructions, asked, turns, words]) => [
      ...instructions,
      asked,
      ...turns.flatMap(([answered, reported, next]) => [answered, ...reported, next]),
      ...words,
    ]);
}

function instruction(switches: RequestSwitches): Arbitrary<Message> {
  const role = switches.developer === false ? fc.constant('system') : fc.constantFrom('system', 'developer');
  const parts = fc.array(plainText(switches), { minLength: 1, maxLength: switches.manyInstructions === false ? 1 : 2 });
  return fc.tuple(role, parts).map(
    ([given, content]): Message => ({
      role: given === 'developer' ? 'developer' : 'system',
      parts: content,
    }),
  );
}

function userTurn(switches: RequestSwitches): Arbitrary<Message> {
  const parts = fc.array(inputPart(switches), { minLength: 1, maxLength: 3 });
  const name = fc.option(fc.constantFrom('Ann', 'Bob'), { nil: undefined, freq: 3 });
  return fc.tuple(parts, name).map(
    ([content, who]): Message => ({
      role: 'user',
      parts: content,
      ...(who !== undefined && switches.participantNames !== false && { name: who }),
    }),
  );
}

function spoken(switches: RequestSwitches): Arbitrary<Message> {
  return fc
    .array(spokenPart(switches), { minLength: 1, maxLength: 2 })
    .map((parts): Message => ({ role: 'assistant', parts }));
}

/** Numbers the calls, so that no two have the same id, and their results alike. */
function uniqueIds(messages: readonly Message[]): Message[] {
  let calls = 0;
  let results = 0;
  return messages.map((message): Message => {
    switch (message.role) {
      case 'assistant':
        return {
          ...message,
          parts: message.parts.map((part) => (part.type === 'tool-call' ? { ...part, id: `call_${calls++}` } : part)),
        };
      case 'tool':
        return { ...message, parts: message.parts.map((part) => ({ ...part, callId: `call_${results++}` })) };
      case 'system':
      case 'developer':
      case 'user':
        return message;
      default:
        return message satisfies never;
    }
  });
}

/** All fields but the choice among tools. */
function fields(switches: RequestSwitches): Arbitrary<RequestFields> {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const tenths = (max: number) => fc.integer({ min: 0, max: max * 10 }).map((value) => value / 10);
  const all: { readonly [K in FieldName]?: Arbitrary<NonNullable<RequestFields[K]>> } = {
    parallelToolCalls: fc.boolean(),
    maxOutputTokens: fc.integer({ min: 16, max: 100_000 }),
    responseFormat: fc.oneof(
      fc.constantFrom({ type: 'text' as const }, { type: 'json' as const }),
      fc.record({
        type: fc.constant('json-schema' as const),
        name: fc.constant('answer'),
        schema: fc.constant(schema),
      }),
    ),
    verbosity: fc.constantFrom('low', 'medium', 'high'),
    temperature: tenths(2),
    topP: tenths(1),
    topK: fc.integer({ min: 1, max: 100 }),
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    presencePenalty: tenths(2),
    frequencyPenalty: tenths(2),
    logitBias: fc.dictionary(fc.stringMatching(/^[1-9][0-9]{0,4}$/), fc.integer({ min: -100, max: 100 })),
    stop: fc.array(someText, { minLength: 1, maxLength: 4 }),
    choices: fc.integer({ min: 1, max: 4 }),
    logprobs: fc.record({ top: fc.integer({ min: 0, max: 5 }) }),
    reasoning: reasoning(),
    cacheKey: fc.lorem({ maxCount: 1 }),
    cacheRetention: fc.constantFrom('24h', 'in_memory'),
    cache: cacheHint(),
    metadata: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.lorem({ maxCount: 1 }), { maxKeys: 2 }),
    userId: fc.stringMatching(/^user-[0-9]{1,6}$/),
    truncation: fc.constantFrom('auto', 'disabled'),
  };
  const chosen = Object.entries(all).filter(([name]) => switches.fields?.some((field) => field === name) ?? true);
  const model: Record<string, Arbitrary<unknown>> = Object.fromEntries(chosen);
  return fc.record(model, { requiredKeys: [] });
}

function reasoning(): Arbitrary<Reasoning> {
  const amount = fc.oneof(
    fc.record({ effort: fc.constantFrom(...EFFORTS) }),
    fc.record({ budgetTokens: fc.integer({ min: 0, max: 32_768 }) }),
    fc.constant({ adaptive: true }),
  );
  const show = fc.option(fc.constantFrom('none', 'auto', 'concise', 'detailed'), { nil: undefined });
  return fc.tuple(amount, show).map(([given, shown]) => ({ ...given, ...(shown !== undefined && { show: shown }) }));
}

/** Gives each piece a place, in words of no protocol. */
function placed(request: CanonicalRequest, set: RequestFields): CanonicalRequest {
  return {
    ...request,
    messages: request.messages.map((message, i) => placedMessage(message, `messages[${i}]`)),
    tools: request.tools.map((tool, i) => ({ ...tool, at: `tools[${i}]` })),
    names: Object.fromEntries(Object.keys(set).map((name) => [name, `fields.${name}`])),
  };
}

function placedMessage(message: Message, at: string): Message {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { ...message, at, parts: placedParts(message.parts, at) };
    case 'user':
      return { ...message, at, parts: placedParts(message.parts, at) };
    case 'assistant':
      return { ...message, at, parts: placedParts(message.parts, at) };
    case 'tool': {
      const results = placedParts(message.parts, at);
      return { ...message, at, parts: results.map((part) => ({ ...part, parts: placedParts(part.parts, part.at) })) };
    }
    default:
      return message satisfies never;
  }
}

function placedParts<T extends object>(parts: readonly T[], at: string): (T & { readonly at: string })[] {
  return parts.map((part, i) => ({ ...part, at: `${at}.parts[${i}]` }));
}
