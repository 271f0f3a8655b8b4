import type { ProtocolName } from '../scenario.ts';
import type { FrameworkClient } from './clients.ts';

/**
 * What a program written with a framework must get from a model of each upstream protocol. Fixed before the drivers, from the
 * published code of the frameworks: a cell that does not work names the code of the client that prevents it.
 */
export type CellExpectation =
  /** The program's user gets what the model gave, and the provider receives what its own documentation asks for. */
  | { kind: 'works' }
  /** The program goes on without an error, but the client itself drops something on the way. */
  | { kind: 'lost'; what: string; where: string }
  /** The client cannot do this at all. */
  | { kind: 'none'; why: string };

export type Mode = 'buffered' | 'stream';

export interface Scenario {
  id: ScenarioId;
  title: string;
  modes: readonly Mode[];
}

export const SCENARIO_IDS = [
  'chat',
  'tools',
  'parallel-tools',
  'image',
  'structured',
  'reasoning',
  'abort',
  'broken-stream',
  'error',
  'long-prompt',
  'no-credit',
] as const;
export type ScenarioId = (typeof SCENARIO_IDS)[number];

const BOTH: readonly Mode[] = ['buffered', 'stream'];
const STREAM: readonly Mode[] = ['stream'];

export const SCENARIOS: readonly Scenario[] = [
  { id: 'chat', title: 'instructions and two turns', modes: BOTH },
  { id: 'tools', title: 'a tool call, run by the client', modes: BOTH },
  { id: 'parallel-tools', title: 'two parallel tool calls', modes: BOTH },
  { id: 'image', title: 'an image', modes: BOTH },
  { id: 'structured', title: 'an object by a schema', modes: BOTH },
  { id: 'reasoning', title: 'reasoning over two turns', modes: BOTH },
  { id: 'abort', title: 'abort in mid-stream', modes: STREAM },
  { id: 'broken-stream', title: 'error in mid-stream', modes: STREAM },
  { id: 'error', title: 'the provider rejects the request', modes: BOTH },
  { id: 'long-prompt', title: 'over-long prompt', modes: BOTH },
  { id: 'no-credit', title: 'out of credit', modes: BOTH },
];

/**
 * Clients that do not send back signatures or encrypted reasoning. Chat completions have no field of their own for them;
 * Google's `extra_content` on a tool call is the one that clients of other providers know.
 */
const DROPS_REASONING: Readonly<Record<string, { where: string; mode?: Mode; exceptFrom?: ProtocolName }>> = {
  'ai-sdk/openai-chat': {
    where: '@ai-sdk/openai, convert-to-openai-chat-messages.ts: a tool call has id, name and arguments',
  },
  'langchain-js/openai-chat': {
    where: '@langchain/openai, converters/completions.js, convertLangChainToolCallToOpenAI: id, name and arguments',
  },
  'langchain-python/openai-chat': {
    where: 'langchain_openai/chat_models/base.py, _lc_tool_call_to_openai_tool_call: id, name and arguments',
  },
  'openai-agents-js/openai-chat': {
    where: '@openai/agents-openai, openaiChatCompletionsStreaming.mjs: of a streamed call only id, name and arguments',
    mode: 'stream',
  },
  'mistral/chat': {
    where: '@mistralai/mistralai, models/components/assistantmessage.ts: content and tool calls only',
  },
  'openai-agents-python/openai-chat': {
    where: 'agents/models/chatcmpl_converter.py: extra_content only of models with "gemini" in their names',
    // The name of this upstream's model has it.
    exceptFrom: 'gemini',
  },
};

interface Limit {
  client: string;
  scenario: ScenarioId;
  upstream?: ProtocolName;
  mode?: Mode;
  expectation: CellExpectation;
}

/** What the code of single clients prevents. */
const LIMITS: readonly Limit[] = [
  {
    client: 'mistral/chat',
    scenario: 'chat',
    mode: 'stream',
    expectation: {
      kind: 'lost',
      what: 'the usage',
      where: '@mistralai/mistralai, models/components/chatcompletionstreamrequest.ts: no stream_options to ask for it',
    },
  },
  ...(['tools', 'parallel-tools', 'reasoning'] as const).map(
    (scenario): Limit => ({
      client: 'mistral/chat',
      scenario,
      mode: 'stream',
      expectation: {
        kind: 'none',
        why: '@mistralai/mistralai, models/components/functioncall.ts: every piece of a call must have its name',
      },
    }),
  ),
  {
    client: 'langchain-js/anthropic',
    scenario: 'chat',
    mode: 'stream',
    expectation: {
      kind: 'lost',
      what: 'the exact usage',
      where:
        '@langchain/anthropic, utils/message_outputs.js: takes the input from message_start alone, where no other protocol ' +
        'knows it yet, and adds the output of message_start to that of message_delta',
    },
  },
  {
    client: 'langchain-js/anthropic',
    scenario: 'structured',
    mode: 'stream',
    expectation: {
      kind: 'none',
      why: '@langchain/core, output_parsers/transform.js: parses each chunk, the empty first one too, as the whole object',
    },
  },
  {
    client: 'langchain-js/google',
    scenario: 'image',
    expectation: {
      kind: 'none',
      why: '@langchain/google-genai, chat_models.js, _isMultimodalModel: images only for models whose names begin with gemini-',
    },
  },
  {
    client: 'langchain-js/google',
    scenario: 'broken-stream',
    expectation: {
      kind: 'lost',
      what: 'the error',
      where: '@langchain/google-genai, utils/common.js: an event without candidates is skipped, one with an error too',
    },
  },
  {
    client: 'ai-sdk/google',
    scenario: 'no-credit',
    expectation: {
      kind: 'lost',
      what: 'the message, which is only in responseBody',
      where: '@ai-sdk/google, google-error.ts: details must be a list',
    },
  },
];

export function expected(
  client: FrameworkClient,
  upstream: ProtocolName,
  scenario: ScenarioId,
  mode: Mode,
): CellExpectation {
  const limit = LIMITS.find(
    (each) =>
      each.client === client.id &&
      each.scenario === scenario &&
      (each.upstream ?? upstream) === upstream &&
      (each.mode ?? mode) === mode,
  );
  if (limit !== undefined) return limit.expectation;
  const drops = DROPS_REASONING[client.id];
  // A chat upstream has nothing opaque that could be lost.
  if (scenario !== 'reasoning' || drops === undefined || upstream === 'openai-chat') return { kind: 'works' };
  if (upstream === drops.exceptFrom || (drops.mode ?? mode) !== mode) return { kind: 'works' };
  return { kind: 'lost', what: 'signatures and encrypted reasoning', where: drops.where };
}
