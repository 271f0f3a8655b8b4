import type { OtherResult } from '@tollgate/test-support/mutations/mutated-code';

/** A fault of the translation, the metering, the price or the checks of requests. */
export interface ProtocolFault extends OtherResult {
  readonly name: string;
}

const PROTOCOLS = 'services/protocols/src';

function fault(name: string, folder: string, at: string, becomes: string): ProtocolFault {
  return { name, folder: `${PROTOCOLS}/${folder}`, at, becomes };
}

const MESSAGES = 'anthropic-messages';
const CHAT = 'openai-chat';
const RESPONSES = 'openai-responses';
const GEMINI = 'gemini';

const RULES = 'services/common/src/billing';
const CATALOGUE = 'services/ingress/src/shared/catalogue';

/** Of prices of an account's own. */
const PRICES: readonly ProtocolFault[] = [
  { name: 'Prices: a markup changes no rate', folder: RULES, at: 'ownRate', becomes: 'listRate' },
  {
    name: 'Prices: a rate is rounded down',
    folder: RULES,
    at: 'ownRate',
    becomes: '(listRate * BigInt(FULL_DISCOUNT_PPM + markupPpm)) / BigInt(FULL_DISCOUNT_PPM)',
  },
  {
    name: 'Prices: the last rule applies',
    folder: RULES,
    at: 'markupOf',
    becomes: 'rules.findLast(({ model }) => matches(model, modelId))?.markupPpm ?? 0',
  },
  {
    name: 'Prices: a pattern is a prefix',
    folder: RULES,
    at: 'matches',
    becomes: "modelId.startsWith(pattern.split('*')[0])",
  },
  {
    name: 'Prices: holds are at list prices',
    folder: CATALOGUE,
    at: 'tierBounds',
    becomes: '{ ...result, output: tier.highestOutput * 1_000_000n }',
  },
  { name: 'Prices: holds have no room for rounding', folder: CATALOGUE, at: 'roundingSlack', becomes: '0n' },
  {
    name: 'Prices: the base cost is the cost',
    folder: CATALOGUE,
    at: 'markUp',
    becomes: 'lines.reduce((sum, line) => sum + lineAmount(line.quantity, line.rateNanosPerMillion), 0n)',
  },
  { name: 'Prices: charges have no base cost', folder: CATALOGUE, at: 'markUp', becomes: 'undefined' },
  {
    name: 'Prices: lists of models show list prices',
    folder: 'services/ingress/src/handlers/models',
    at: 'perMillion',
    becomes: 'Object.fromEntries(rates.map(([bucket, rate]) => [bucket, formatDollars(rate)]))',
  },
];

const MONEY: readonly ProtocolFault[] = [
  fault(
    'Messages: cached input costs as much as other input',
    MESSAGES,
    'usageFrom',
    'result && { ...result, input: result.input + result.cache_read, cache_read: 0 }',
  ),
  fault(
    'Messages: what is cached for an hour costs as what is cached for minutes',
    MESSAGES,
    'cacheWrites',
    '{ cache_write_5m: result.cache_write_5m + result.cache_write_1h, cache_write_1h: 0 }',
  ),
  fault(
    'Messages: the usage at the end of a stream is not read',
    MESSAGES,
    'StreamUsage.delta',
    '{ ...result, usage: undefined }',
  ),
  fault(
    'Messages: clients do not see that reasoning is output',
    MESSAGES,
    'counts',
    '{ ...result, output_tokens: usage.output }',
  ),
  fault('Messages: clients get no cost', MESSAGES, 'withCost', 'json'),
  fault(
    'Messages: the limit that the balance allows is not sent',
    `${MESSAGES}/upstream`,
    'limitOf',
    'request.maxOutputTokens ?? target.maxOutputTokens',
  ),
  fault('Gemini: thoughts are free', GEMINI, 'readUsage', 'result && { ...result, reasoning: 0 }'),
  fault(
    'Gemini: cached input is counted twice',
    GEMINI,
    'readUsage',
    'result && { ...result, input: result.input + result.cache_read }',
  ),
  fault(
    'Gemini: clients do not see thoughts in the usage',
    GEMINI,
    'encodeUsage',
    'result.replace(/"thoughtsTokenCount":\\d+/, \'"thoughtsTokenCount":0\')',
  ),
  fault('chat: the usage of a response is not read', CHAT, 'readReport', '{ ...result, usage: undefined }'),
  fault('chat: the usage of one choice counts for several', CHAT, 'ofResponse', 'report'),
  fault(
    'chat: clients do not see cached tokens',
    CHAT,
    'encodeUsage',
    'result.replace(/"cached_tokens":\\d+/, \'"cached_tokens":0\')',
  ),
  fault('chat: fields that cost more pass without a price', CHAT, 'checkPricePolicy', '(errors.splice(0), result)'),
  fault(
    'Responses: what the provider charges is not read',
    RESPONSES,
    'readReport',
    '{ ...result, details: undefined }',
  ),
  fault(
    'cached tokens are counted beside the input that includes them',
    'canonical',
    'usageOfTotals',
    '{ ...result, input: totals.input }',
  ),
  fault(
    'reasoning is counted beside the output that includes it',
    'canonical',
    'usageOfTotals',
    '{ ...result, output: totals.output }',
  ),
  fault('a report without input takes the earlier input away', 'canonical', 'laterUsage', 'later'),
  fault(
    'counts that are not integers are charged',
    'canonical',
    'countOf',
    "typeof value === 'number' ? value : result",
  ),
  fault('the prompt of a charge lacks cached tokens', 'canonical', 'inputTokensOf', 'usage.input'),
  fault("the provider's cost is rounded down", 'interface', 'roundedQuotient', 'dividend / divisor'),
  fault('a hold does not cover the tools', 'request', 'toolOverhead', '0'),
];

const TOOLS: readonly ProtocolFault[] = [
  fault(
    'Messages: a failed result of a tool looks like a good one',
    MESSAGES,
    'decodeToolResult',
    '{ ...result, isError: false }',
  ),
  fault('Messages: calls of one response share an id', MESSAGES, 'toolUseBlock', "{ ...result, id: 'toolu_1' }"),
  fault('Gemini: a result is given to no call if the call has no id', GEMINI, 'CallIds.answered', 'id'),
  fault('Gemini: calls lose their arguments', GEMINI, 'callPart', '{ ...result, functionCall: { name: part.name } }'),
  fault('Gemini: errors of tools are outputs', GEMINI, 'responseOf', "{ output: texts.join('') }"),
  fault('Gemini: pieces of arguments are not joined', GEMINI, 'PartialArgs.args', '({})'),
  fault('chat: a second streamed call continues the first', CHAT, 'isNext', 'false'),
  fault(
    'chat: tools are no longer strict',
    CHAT,
    'encodeTool',
    '{ ...result, function: { ...result.function, strict: false } }',
  ),
  fault('chat: calls of a buffered response have no input', `${CHAT}/client`, 'inputOf', "'{}'"),
  fault('Responses: calls of one response share an id', RESPONSES, 'callIdOf', "'call_1'"),
  fault('Responses: tools of a namespace are called without it', RESPONSES, 'joinedName', 'name'),
  fault('calls of custom tools arrive as functions', 'canonical', 'isWrapped', 'false'),
  fault('names of tools that a provider refuses are sent', 'canonical', 'providerToolName', 'name'),
  fault('a client that takes one call gets several', 'canonical', 'SingleCallFilter.#isHeldBack', 'false'),
  fault('inputs of calls arrive empty', 'canonical', 'inputObject', '({})'),
  fault('ids that a provider refuses are sent', 'canonical', 'providerToolId', 'id'),
];

const STREAMS: readonly ProtocolFault[] = [
  fault('Messages: a stream that is cut off looks complete', MESSAGES, 'MessagesStreamDecoder.eof', 'this.#end()'),
  fault('Gemini: a stream that is cut off looks complete', GEMINI, 'GeminiStreamDecoder.eof', 'this.end()'),
  fault(
    'chat: a stream that is cut off looks complete',
    `${CHAT}/upstream`,
    'ChatStreamDecoder.eof',
    "{ kind: 'end', events: [] }",
  ),
  fault(
    'Responses: a stream that is cut off looks complete',
    RESPONSES,
    'ResponsesStreamDecoder.eof',
    "{ kind: 'end', events: [] }",
  ),
  fault(
    'Messages: the last event is missing',
    MESSAGES,
    'MessagesStreamEncoder.close',
    "result.subarray(0, result.lastIndexOf('event: message_stop'))",
  ),
  fault(
    'chat: the end of a stream is not announced',
    CHAT,
    'ChatStreamEncoder.close',
    "result.subarray(0, result.lastIndexOf('data: [DONE]'))",
  ),
  fault('Gemini: a list of chunks never ends', GEMINI, 'ArrayFrame.end', 'Buffer.alloc(0)'),
  fault('Gemini: the last part of a stream never closes', GEMINI, 'CandidateDecoder.#close', '(out.pop(), result)'),
  fault(
    'Responses: text that comes only at the end is lost',
    RESPONSES,
    'PartSequence.lengthOf',
    'Number.POSITIVE_INFINITY',
  ),
  fault(
    'Responses: events are not numbered',
    RESPONSES,
    'EventWriter.take',
    'result && Buffer.from(result.toString().replace(/"sequence_number":\\d+/g, \'"sequence_number":0\'))',
  ),
  fault('events that span lines lose their last line', 'sse', 'feedOrEnd', 'Math.max(start, result - 1)'),
  fault('a byte order mark hides the first event', 'sse', 'startsWith', 'prefix.length === 3 ? false : result'),
  fault('an event without a blank line at the end is lost', 'sse', 'SseParser.end', 'undefined'),
  fault('an event that spans chunks loses its beginning', 'sse', 'UnreadBytes.join', 'chunk'),
  fault('halves of a character are sent apart', MESSAGES, 'isHighSurrogate', 'false'),
  fault(
    'stop words that span pieces are not found',
    'canonical',
    'StopScanner.push',
    '{ ...result, text: this.#held === "" ? result.text : result.text + this.#held }',
  ),
  fault('text after a stop word is sent', 'canonical', 'cut', '{ ...result, text }'),
];

const ENDS: readonly ProtocolFault[] = [
  fault(
    'Messages: a pause looks like an end',
    MESSAGES,
    'decodeFinish',
    "result.reason === 'pause' ? { ...result, reason: 'stop' } : result",
  ),
  fault(
    'Messages: a call does not look like one',
    MESSAGES,
    'stopReasonOf',
    "result === 'tool_use' ? 'end_turn' : result",
  ),
  fault('Messages: the stop sequence is not named', MESSAGES, 'encodeFinish', '{ ...result, stop_sequence: null }'),
  fault(
    'Gemini: a blocked answer looks complete',
    GEMINI,
    'decodeFinishReason',
    "result === 'content-filter' ? 'stop' : result",
  ),
  fault(
    'Gemini: an answer at the limit looks complete',
    GEMINI,
    'encodeFinishReason',
    "result === 'MAX_TOKENS' ? 'STOP' : result",
  ),
  fault(
    'chat: an answer at the limit looks complete',
    CHAT,
    'decodeFinish',
    "result.reason === 'length' ? { ...result, reason: 'stop' } : result",
  ),
  fault('chat: a call does not look like one', CHAT, 'encodeFinishReason', "result === 'tool_calls' ? 'stop' : result"),
  fault(
    'Responses: a filtered answer looks complete',
    RESPONSES,
    'decodeFinish',
    "result.reason === 'content-filter' ? { ...result, reason: 'stop' } : result",
  ),
  fault('Responses: an answer at the limit looks complete', RESPONSES, 'encodeFinish', "{ status: 'completed' }"),
  fault('Responses: a failed response counts as an answer', RESPONSES, 'failureOf', 'undefined'),
];

const CONTENT: readonly ProtocolFault[] = [
  fault('Messages: images of clients are lost', MESSAGES, 'imagePart', 'undefined'),
  fault(
    'Messages: providers get images of another type',
    MESSAGES,
    'mediaSource',
    "'media_type' in result ? { ...result, media_type: 'image/gif' } : result",
  ),
  fault('Messages: signatures of other providers reach Anthropic', MESSAGES, 'hasForeignSignature', 'false'),
  fault('Messages: a budget for thinking is lost', MESSAGES, 'budgetFields', '({})'),
  fault('Messages: breakpoints of the cache are lost', `${MESSAGES}/upstream`, 'cached', 'block'),
  fault('Messages: an output by a schema is not asked for', `${MESSAGES}/upstream`, 'encodeFormat', '({})'),
  fault('Gemini: signatures of thoughts are not sent back', GEMINI, 'encodeSignature', 'undefined'),
  fault('Gemini: an output by a schema is not asked for', `${GEMINI}/upstream`, 'formatOf', '({})'),
  fault('Gemini: sources of an answer are lost', GEMINI, 'decodeCitations', '[]'),
  fault('chat: inline images are passed as addresses', `${CHAT}/shared`, 'decodeUrl', "{ kind: 'url', url }"),
  fault('chat: an output by a schema is not asked for', CHAT, 'readFormat', 'undefined'),
  fault('chat: thoughts are lost', CHAT, 'decodeReasoning', '[]'),
  fault(
    'Responses: encrypted thoughts are lost',
    `${RESPONSES}/client`,
    'encodeReasoning',
    '{ ...result, encrypted_content: undefined }',
  ),
  fault('Responses: earlier encrypted thoughts are not sent back', RESPONSES, 'decodeSignature', 'undefined'),
  fault('opaque values lose their origin', 'canonical', 'wrapOpaque', 'data'),
  fault('images of results are lost', 'canonical', 'encodeResultPart', "part.type === 'text' ? result : undefined"),
  fault('embeddings come in another order', 'embeddings', 'inOrder', 'result?.toReversed()'),
];

const ERRORS: readonly ProtocolFault[] = [
  fault(
    'Responses: stored files of the shared account can be read',
    RESPONSES,
    'checkReferencePolicy',
    '(errors.splice(0), result)',
  ),
  fault(
    'a prompt that is too long looks like a fault of the provider',
    'interface',
    'readContextOverflow',
    'undefined',
  ),
  fault("errors name fields in the provider's words", 'translate', 'clientMessage', 'error.message'),
  fault('errors do not name the field that a detail names', 'interface', 'violatedField', "''"),
  fault('Gemini: errors do not name the field that their message names', GEMINI, 'fieldOfMessage', "''"),
  fault('a wait that the provider asks for is not read', 'interface', 'retryDelayMs', 'undefined'),
  fault('numbers that are no counts are not reported', 'canonical', 'unreadableFigures', 'undefined'),
];

export const PROTOCOL_FAULTS: readonly ProtocolFault[] = [
  ...PRICES,
  ...MONEY,
  ...TOOLS,
  ...STREAMS,
  ...ENDS,
  ...CONTENT,
  ...ERRORS,
];
