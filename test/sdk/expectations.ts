import { PROTOCOLS, type ProtocolName } from './scenario.ts';

/**
 * What a feature must do between a client of one protocol and an upstream of another. Derived from the types of the
 * official SDKs and from the published rules (docs/reference/protocols.md), not from what the gateway does.
 */
export type Expectation =
  /** The upstream receives it, the client receives the result, and there is no warning. */
  | { kind: 'works' }
  /** The upstream's protocol cannot express it, and without it the response would mean something else: 400 with the field. */
  | { kind: 'rejected'; field: string }
  /** The upstream's protocol cannot express it, and the response means the same without it: a warning with the field. */
  | { kind: 'warned'; field: string }
  /** Not applicable: the client's protocol has no field for it, or the upstream has no such response. */
  | { kind: 'none' };

export interface Feature {
  id: string;
  /** For the table. */
  title: string;
  modes: readonly Mode[];
  expected: (client: ProtocolName, upstream: ProtocolName) => Expectation;
  /** Its cells spend their time waiting, so they run at the same time. */
  waits?: true;
}

export type Mode = 'buffered' | 'stream';

const BOTH: readonly Mode[] = ['buffered', 'stream'];
const WORKS: Expectation = { kind: 'works' };
const NONE: Expectation = { kind: 'none' };

type Fields = Partial<Record<ProtocolName, string>>;

interface Exceptions {
  /** Clients whose protocol cannot request it. */
  clientsWithout?: readonly ProtocolName[];
  /** Upstreams whose protocol has no such response. */
  upstreamsWithout?: readonly ProtocolName[];
  /** Upstreams whose protocol cannot express it. */
  rejectedBy?: readonly ProtocolName[];
  warnedBy?: readonly ProtocolName[];
  /** The field in the words of each client. */
  fields?: Fields;
}

function feature(id: string, title: string, exceptions: Exceptions = {}, modes: readonly Mode[] = BOTH): Feature {
  const { clientsWithout = [], upstreamsWithout = [], rejectedBy = [], warnedBy = [], fields = {} } = exceptions;
  const expected = (client: ProtocolName, upstream: ProtocolName): Expectation => {
    if (clientsWithout.includes(client) || upstreamsWithout.includes(upstream)) return NONE;
    const kind = rejectedBy.includes(upstream) ? 'rejected' : warnedBy.includes(upstream) ? 'warned' : 'works';
    if (kind === 'works') return WORKS;
    const field = fields[client];
    if (field === undefined) throw new Error(`${id}: no field is named for ${client}`);
    return { kind, field };
  };
  return { id, title, modes, expected };
}

const [CHAT, RESPONSES, MESSAGES, GEMINI] = PROTOCOLS;
/** Names of one field, in the order of PROTOCOLS; empty where the protocol has none. */
function named(chat: string, responses: string, messages: string, gemini: string): Fields {
  return { [CHAT]: chat, [RESPONSES]: responses, [MESSAGES]: messages, [GEMINI]: gemini };
}

/**
 * A request for reasoning says whether to return it, except in chat completions, which only set the effort. Towards a
 * chat upstream the gateway drops that setting.
 */
const SUMMARY_FIELDS = named('', 'reasoning', 'thinking', 'generationConfig.thinkingConfig');

function reasoning(client: ProtocolName, upstream: ProtocolName): Expectation {
  const field = SUMMARY_FIELDS[client];
  return upstream !== CHAT || client === CHAT || field === undefined ? WORKS : { kind: 'warned', field };
}

/**
 * Gemini signs calls, not thoughts. The origin of unsigned thoughts is unknown, so they are dropped with a warning; signed
 * parts are sent back unchanged.
 */
function reasoningRoundTrip(client: ProtocolName, upstream: ProtocolName): Expectation {
  const field = named('', 'input[1]', 'messages[1].content[0]', '')[client];
  if (upstream !== GEMINI || client === GEMINI || client === CHAT || field === undefined)
    return reasoning(client, upstream);
  return { kind: 'warned', field };
}

/** In the order of the table; slow ones, for LONG=1, come last. */
export const FEATURES: readonly Feature[] = [
  feature('text', 'text'),
  feature('split-text', 'text cut within characters'),
  feature('multi-turn', 'several turns'),
  feature('system', 'system instructions'),
  // Messages has a system role within a conversation, but not for every model, and Gemini has none: between protocols, all
  // instructions move to the front, in order.
  {
    id: 'later-instructions',
    title: 'instructions in mid-conversation',
    modes: BOTH,
    expected: (client, upstream) => {
      const field = named('messages[2]', 'input[2]', 'messages[2]', '')[client];
      if (field === undefined || field === '') return NONE;
      const isMoved = upstream === GEMINI || (upstream === MESSAGES && client !== MESSAGES);
      return isMoved ? { kind: 'warned', field } : WORKS;
    },
  },

  feature('image-inline', 'image, inline'),
  feature('image-url', 'image, URL'),
  feature('file-inline', 'PDF, inline'),
  // A file of a chat message is `file_data` or an id, never a URL.
  feature('file-url', 'PDF, URL', {
    clientsWithout: [CHAT],
    rejectedBy: [CHAT],
    fields: named('', 'input[0].content[1]', 'messages[0].content[1]', 'contents[0].parts[1]'),
  }),
  // ResponseInputContent has text, image and file; the blocks of Messages have no audio.
  feature('audio', 'audio input', {
    clientsWithout: [RESPONSES, MESSAGES],
    rejectedBy: [RESPONSES, MESSAGES],
    fields: named('messages[0].content[1]', '', '', 'contents[0].parts[1]'),
  }),

  feature('tool-calls', 'two parallel tool calls'),
  feature('text-and-call', 'text, then a tool call'),
  feature('call-without-input', 'tool call without input'),
  // Only Gemini may omit ids.
  feature('calls-without-ids', 'tool calls without ids', { upstreamsWithout: [CHAT, RESPONSES, MESSAGES] }),
  feature('tool-round-trip', 'two results in the next turn'),
  // Messages has `is_error`, Gemini the key `error` of the response. A chat message of a tool and a
  // function_call_output have neither.
  feature('tool-error', 'result with an error', {
    clientsWithout: [CHAT, RESPONSES],
    warnedBy: [CHAT, RESPONSES],
    fields: named('', '', 'messages[2].content[0]', '].parts[0]'),
  }),
  // A chat message of a tool contains only text; the user message after it can contain the image.
  feature('tool-image', 'result with an image', {
    clientsWithout: [CHAT],
    warnedBy: [CHAT],
    fields: named('', 'input[2]', 'messages[2].content[0]', '].parts[0]'),
  }),
  feature('choice-required', 'tool choice: any'),
  feature('choice-tool', 'tool choice: one by name'),
  feature('choice-none', 'tool choice: none'),
  // Messages receives only the allowed tools, which has the same effect.
  feature('choice-allowed', 'tool choice: some of the tools', { clientsWithout: [MESSAGES] }),
  // Gemini has no such setting: its model makes two calls, and the gateway holds one back.
  feature('one-call', 'at most one call', {
    clientsWithout: [GEMINI],
    warnedBy: [GEMINI],
    fields: named('parallel_tool_calls', 'parallel_tool_calls', 'tool_choice.disable_parallel_tool_use', ''),
  }),
  // Gemini has a mode for all tools, VALIDATED, in which calls fit the schemas.
  feature('strict-tool', 'strict tool', { clientsWithout: [GEMINI] }),

  feature('schema', 'response by JSON schema'),
  // Messages supports only responses by a schema, so the model is instructed.
  feature('json', 'any JSON object', {
    clientsWithout: [MESSAGES],
    warnedBy: [MESSAGES],
    fields: named('response_format', 'text.format', '', 'generationConfig.responseMimeType'),
  }),

  { id: 'reasoning', title: 'reasoning requested and returned', modes: BOTH, expected: reasoning },
  {
    id: 'reasoning-round-trip',
    title: 'reasoning and its signature in the next turn',
    modes: BOTH,
    expected: reasoningRoundTrip,
  },
  // Chat completions have no encrypted reasoning.
  feature('reasoning-encrypted', 'encrypted reasoning', { upstreamsWithout: [CHAT] }),
  feature('reasoning-off', 'no reasoning'),

  feature('stop-length', 'stop: output limit'),
  // A Responses request has no stop sequences, so the gateway keeps to them.
  feature('stop-sequence', 'stop: sequence', {
    clientsWithout: [RESPONSES],
    warnedBy: [RESPONSES],
    fields: named('stop', '', 'stop_sequences', 'generationConfig.stopSequences'),
  }),
  // Chat takes four, Gemini five; the gateway keeps to the others.
  feature('five-stop-sequences', 'five stop sequences', {
    clientsWithout: [CHAT, RESPONSES],
    warnedBy: [CHAT, RESPONSES],
    fields: named('', '', 'stop_sequences', 'generationConfig.stopSequences'),
  }),
  feature('stop-filter', 'stop: content filter'),
  // Gemini has a filter, but no refusal with the model's own text.
  feature('stop-refusal', 'stop: refusal', { upstreamsWithout: [GEMINI] }),

  feature('usage', 'usage, cached tokens and cost'),
  // usageMetadata of Gemini does not report cache writes.
  feature('cache-write', 'tokens written to the cache', { upstreamsWithout: [GEMINI] }),
  // Anthropic's SDKs fail without usage in message_start, which the protocol requires.
  {
    id: 'usage-missing',
    title: 'usage missing from the upstream',
    modes: BOTH,
    expected: (client, upstream) => (client === MESSAGES && upstream === MESSAGES ? NONE : WORKS),
  },
  feature('same-cost', 'same conversation, same cost'),

  feature('choices', 'two choices', {
    clientsWithout: [RESPONSES, MESSAGES],
    rejectedBy: [RESPONSES, MESSAGES],
    fields: named('n', '', '', 'generationConfig.candidateCount'),
  }),
  feature('logprobs', 'log probabilities', {
    clientsWithout: [MESSAGES],
    rejectedBy: [MESSAGES],
    fields: named('logprobs', 'top_logprobs', '', 'generationConfig.responseLogprobs'),
  }),
  feature('seed', 'seed', {
    clientsWithout: [RESPONSES, MESSAGES],
    warnedBy: [RESPONSES, MESSAGES],
    fields: named('seed', '', '', 'generationConfig.seed'),
  }),
  feature('penalty', 'presence penalty', {
    clientsWithout: [RESPONSES, MESSAGES],
    warnedBy: [RESPONSES, MESSAGES],
    fields: named('presence_penalty', '', '', 'generationConfig.presencePenalty'),
  }),
  feature('top-k', 'top k', {
    clientsWithout: [CHAT, RESPONSES],
    warnedBy: [CHAT, RESPONSES],
    fields: named('', '', 'top_k', 'generationConfig.topK'),
  }),
  // Messages takes temperatures up to 1, the others up to 2.
  feature('high-temperature', 'temperature above 1', {
    clientsWithout: [MESSAGES],
    warnedBy: [MESSAGES],
    fields: named('temperature', 'temperature', '', 'generationConfig.temperature'),
  }),
  feature('user-id', "the end user's id", {
    clientsWithout: [GEMINI],
    warnedBy: [GEMINI],
    fields: named('safety_identifier', 'safety_identifier', 'metadata.user_id', ''),
  }),
  // Chat and Responses have cache keys, Messages has breakpoints, which are placed for a cache key.
  {
    id: 'cache-hint',
    title: 'cache hint',
    modes: BOTH,
    expected: (client, upstream) => {
      if (client === GEMINI) return NONE;
      if (client === MESSAGES) {
        return upstream === MESSAGES ? WORKS : { kind: 'warned', field: 'messages[0].content[0]' };
      }
      return upstream === GEMINI ? { kind: 'warned', field: 'prompt_cache_key' } : WORKS;
    },
  },
  // A citation in Messages needs an encrypted index that only its provider creates.
  {
    id: 'citation',
    title: 'citation of a page',
    modes: BOTH,
    expected: (client, upstream) => (client === MESSAGES && upstream !== MESSAGES ? NONE : WORKS),
  },

  feature('bad-field', 'error: a field, by name'),
  feature('upstream-refusal', 'error: the provider rejects the request'),
  feature('long-prompt', 'error: the prompt is too long'),
  feature('no-credit', 'error: the account is out of credit'),
  feature('upstream-failure', 'error: the provider fails'),
  feature('broken-stream', 'error in mid-stream', {}, ['stream']),
  feature('cut-stream', 'connection lost in mid-stream', {}, ['stream']),
  feature('abort', 'client disconnects', {}, ['stream']),
  feature('count', 'token count', { clientsWithout: [CHAT, RESPONSES] }, ['buffered']),

  ...(process.env['LONG'] === '1'
    ? [
        feature('long-stream', 'five thousand pieces of text', {}, ['stream']),
        { ...feature('silence', 'twelve seconds of silence', {}, ['stream']), waits: true as const },
      ]
    : []),
];
