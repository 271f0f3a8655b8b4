import { PROTOCOLS, type ProtocolName } from './scenario.ts';

/**
 * What must become of a feature between a client of one protocol and an upstream of another. It is derived from what the
 * two protocols can say, by the types of their official SDKs, and from the gateway's published rules (docs/reference/protocols.md),
 * not from what the gateway does.
 */
export type Expectation =
  /** The upstream gets it, the client gets what comes of it, and no warning is given. */
  | { kind: 'works' }
  /** The upstream's protocol has no way to say it, and without it the response would mean something else: 400 with the field. */
  | { kind: 'refused'; field: string }
  /** The upstream's protocol has no way to say it, and the response means the same without it: a warning with the field. */
  | { kind: 'warned'; field: string }
  /** Nothing can be asked: the client's protocol has no field for it, or the upstream has no such response. */
  | { kind: 'none' };

export interface Feature {
  id: string;
  /** For the table. */
  title: string;
  modes: readonly Mode[];
  expected: (client: ProtocolName, upstream: ProtocolName) => Expectation;
}

export type Mode = 'whole' | 'stream';

const BOTH: readonly Mode[] = ['whole', 'stream'];
const WORKS: Expectation = { kind: 'works' };
const NONE: Expectation = { kind: 'none' };

type Fields = Partial<Record<ProtocolName, string>>;

interface Exceptions {
  /** Clients whose protocol cannot ask for it. */
  notAsked?: readonly ProtocolName[];
  /** Upstreams whose protocol cannot answer so. */
  notAnswered?: readonly ProtocolName[];
  /** Upstreams whose protocol cannot say it, and how the client's protocol calls what is refused. */
  refusedBy?: readonly ProtocolName[];
  warnedBy?: readonly ProtocolName[];
  /** By client. */
  fields?: Fields;
}

function feature(id: string, title: string, exceptions: Exceptions = {}, modes: readonly Mode[] = BOTH): Feature {
  const { notAsked = [], notAnswered = [], refusedBy = [], warnedBy = [], fields = {} } = exceptions;
  const expected = (client: ProtocolName, upstream: ProtocolName): Expectation => {
    if (notAsked.includes(client) || notAnswered.includes(upstream)) return NONE;
    const kind = refusedBy.includes(upstream) ? 'refused' : warnedBy.includes(upstream) ? 'warned' : 'works';
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
 * Requests for reasoning say whether it is returned, where the client's protocol has one. A chat request has none, so
 * that word is left out; how much to think is said there too.
 */
const HOW_TOLD = named('', 'reasoning', 'thinking', 'generationConfig.thinkingConfig');

function reasoning(client: ProtocolName, upstream: ProtocolName): Expectation {
  const field = HOW_TOLD[client];
  return upstream !== CHAT || client === CHAT || field === undefined ? WORKS : { kind: 'warned', field };
}

/**
 * Gemini seals its calls and not its thoughts. Whose thoughts a client brings back without a seal cannot be known, so they
 * are left out with a warning; what is sealed goes back whole.
 */
function reasoningRoundTrip(client: ProtocolName, upstream: ProtocolName): Expectation {
  const field = named('', 'input[1]', 'messages[1].content[0]', '')[client];
  if (upstream !== GEMINI || client === GEMINI || client === CHAT || field === undefined)
    return reasoning(client, upstream);
  return { kind: 'warned', field };
}

/** In the order of the table. Those of the long mode take long and come last. */
export const FEATURES: readonly Feature[] = [
  feature('text', 'text'),
  feature('split-text', 'text cut within characters'),
  feature('multi-turn', 'several turns'),
  feature('system', 'system instructions'),
  // Messages has a system role among its messages too, but not for every model: from others, as for Gemini, which has
  // none, all instructions go to the front, in their order.
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
    notAsked: [CHAT],
    refusedBy: [CHAT],
    fields: named('', 'input[0].content[1]', 'messages[0].content[1]', 'contents[0].parts[1]'),
  }),
  // ResponseInputContent has text, image and file; the blocks of Messages have no audio.
  feature('audio', 'audio input', {
    notAsked: [RESPONSES, MESSAGES],
    refusedBy: [RESPONSES, MESSAGES],
    fields: named('messages[0].content[1]', '', '', 'contents[0].parts[1]'),
  }),

  feature('tool-calls', 'two parallel tool calls'),
  feature('text-and-call', 'text, then a tool call'),
  feature('call-without-input', 'tool call without input'),
  // Only Gemini may leave ids out.
  feature('calls-without-ids', 'tool calls without ids', { notAnswered: [CHAT, RESPONSES, MESSAGES] }),
  feature('tool-round-trip', 'two results in the next turn'),
  // `is_error` of Messages; Gemini says it by the key `error` of the response. A chat message of a tool and a
  // function_call_output have no such mark.
  feature('tool-error', 'result with an error', {
    notAsked: [CHAT, RESPONSES],
    warnedBy: [CHAT, RESPONSES],
    fields: named('', '', 'messages[2].content[0]', '].parts[0]'),
  }),
  // A chat message of a tool holds only text; a message of the user behind it can show the image.
  feature('tool-image', 'result with an image', {
    notAsked: [CHAT],
    warnedBy: [CHAT],
    fields: named('', 'input[2]', 'messages[2].content[0]', '].parts[0]'),
  }),
  feature('choice-required', 'tool choice: any'),
  feature('choice-tool', 'tool choice: one by name'),
  feature('choice-none', 'tool choice: none'),
  // Towards Messages only the allowed tools are sent, which comes to the same.
  feature('choice-allowed', 'tool choice: some of the tools', { notAsked: [MESSAGES] }),
  feature('one-call', 'one call at most', {
    notAsked: [GEMINI],
    refusedBy: [GEMINI],
    fields: named('parallel_tool_calls', 'parallel_tool_calls', 'tool_choice.disable_parallel_tool_use', ''),
  }),
  // Gemini has a mode for all tools, VALIDATED, in which calls fit the schemas.
  feature('strict-tool', 'strict tool', { notAsked: [GEMINI] }),

  feature('schema', 'answer by JSON schema'),
  // Messages knows only answers by a schema.
  feature('json', 'any JSON object', {
    notAsked: [MESSAGES],
    refusedBy: [MESSAGES],
    fields: named('response_format', 'text.format', '', 'generationConfig.responseMimeType'),
  }),

  { id: 'reasoning', title: 'reasoning asked for and told', modes: BOTH, expected: reasoning },
  {
    id: 'reasoning-round-trip',
    title: 'reasoning and its signature in the next turn',
    modes: BOTH,
    expected: reasoningRoundTrip,
  },
  // Chat completions have nothing sealed of their own.
  feature('reasoning-sealed', 'reasoning that is only sealed', { notAnswered: [CHAT] }),
  feature('reasoning-off', 'no reasoning'),

  feature('stop-length', 'stop: output limit'),
  // A Responses request has no stop sequences.
  feature('stop-sequence', 'stop: sequence', {
    notAsked: [RESPONSES],
    refusedBy: [RESPONSES],
    fields: named('stop', '', 'stop_sequences', 'generationConfig.stopSequences'),
  }),
  // Chat takes four, Gemini five.
  feature('five-stop-sequences', 'five stop sequences', {
    notAsked: [CHAT, RESPONSES],
    refusedBy: [CHAT, RESPONSES],
    fields: named('', '', 'stop_sequences', 'generationConfig.stopSequences'),
  }),
  feature('stop-filter', 'stop: content filter'),
  // Gemini has a filter, and no refusal in the model's own words.
  feature('stop-refusal', 'stop: refusal', { notAnswered: [GEMINI] }),

  feature('usage', 'usage, cached tokens and cost'),
  // usageMetadata of Gemini does not report cache writes.
  feature('cache-write', 'tokens written to the cache', { notAnswered: [GEMINI] }),
  // Anthropic's SDKs break without usage in message_start, which the protocol demands.
  {
    id: 'usage-missing',
    title: 'usage that the upstream left out',
    modes: BOTH,
    expected: (client, upstream) => (client === MESSAGES && upstream === MESSAGES ? NONE : WORKS),
  },
  feature('same-cost', 'same conversation, same cost'),

  feature('choices', 'two choices', {
    notAsked: [RESPONSES, MESSAGES],
    refusedBy: [RESPONSES, MESSAGES],
    fields: named('n', '', '', 'generationConfig.candidateCount'),
  }),
  feature('logprobs', 'log probabilities', {
    notAsked: [MESSAGES],
    refusedBy: [MESSAGES],
    fields: named('logprobs', 'top_logprobs', '', 'generationConfig.responseLogprobs'),
  }),
  feature('seed', 'seed', {
    notAsked: [RESPONSES, MESSAGES],
    warnedBy: [RESPONSES, MESSAGES],
    fields: named('seed', '', '', 'generationConfig.seed'),
  }),
  feature('penalty', 'presence penalty', {
    notAsked: [RESPONSES, MESSAGES],
    warnedBy: [RESPONSES, MESSAGES],
    fields: named('presence_penalty', '', '', 'generationConfig.presencePenalty'),
  }),
  feature('top-k', 'top k', {
    notAsked: [CHAT, RESPONSES],
    warnedBy: [CHAT, RESPONSES],
    fields: named('', '', 'top_k', 'generationConfig.topK'),
  }),
  // Messages takes temperatures up to 1, the others up to 2.
  feature('high-temperature', 'temperature above 1', {
    notAsked: [MESSAGES],
    warnedBy: [MESSAGES],
    fields: named('temperature', 'temperature', '', 'generationConfig.temperature'),
  }),
  feature('user-id', "the end user's id", {
    notAsked: [GEMINI],
    warnedBy: [GEMINI],
    fields: named('safety_identifier', 'safety_identifier', 'metadata.user_id', ''),
  }),
  // Chat and Responses have keys, Messages has marks, and neither can be made of the other.
  {
    id: 'cache-hint',
    title: 'cache hint',
    modes: BOTH,
    expected: (client, upstream) => {
      if (client === GEMINI) return NONE;
      if (client === MESSAGES) {
        return upstream === MESSAGES ? WORKS : { kind: 'warned', field: 'messages[0].content[0]' };
      }
      return upstream === CHAT || upstream === RESPONSES ? WORKS : { kind: 'warned', field: 'prompt_cache_key' };
    },
  },
  // A page cited by Messages needs an encrypted index that only its provider makes.
  {
    id: 'citation',
    title: 'citation of a page',
    modes: BOTH,
    expected: (client, upstream) => (client === MESSAGES && upstream !== MESSAGES ? NONE : WORKS),
  },

  feature('bad-field', 'error: a field, by name'),
  feature('upstream-refusal', 'error: the provider refuses'),
  feature('upstream-failure', 'error: the provider fails'),
  feature('broken-stream', 'error in mid-stream', {}, ['stream']),
  feature('cut-stream', 'connection lost in mid-stream', {}, ['stream']),
  feature('abort', 'client leaves', {}, ['stream']),
  feature('count', 'token count', { notAsked: [CHAT, RESPONSES] }, ['whole']),

  ...(process.env['LONG'] === '1'
    ? [
        feature('long-stream', 'five thousand pieces of text', {}, ['stream']),
        feature('silence', 'twelve seconds of silence', {}, ['stream']),
      ]
    : []),
];

export function featureOf(id: string): Feature {
  const found = FEATURES.find((each) => each.id === id);
  if (found === undefined) throw new Error(`there is no feature ${id}`);
  return found;
}
