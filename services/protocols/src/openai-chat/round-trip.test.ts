import fc from 'fast-check';
import { expect, test } from 'vitest';
import { request as anyRequest } from '../../testing/canonical/arbitrary.ts';
import { effortOf } from '../canonical/effort.ts';
import type { Message } from '../canonical/message.ts';
import type { ReasoningPart } from '../canonical/part.ts';
import type { CanonicalRequest, FieldName } from '../canonical/request.ts';
import { runToEnd } from '../lists/stages.ts';
import { Diagnostics } from '../request/diagnostics.ts';
import { decodeRequest } from './client/decode-request.ts';
import { parseRequest } from './client/parse.ts';
import { encodeRequest } from './upstream/encode-request.ts';

const TARGET = {
  upstreamModel: 'up',
  outputTokens: undefined,
  isStream: false,
  maxOutputTokens: 4_096,
  parameters: { reasoningHistory: 'reasoning_content' as const, maxUserIdLength: 10_000 },
};

/** Fields that this protocol has. */
const FIELDS: readonly FieldName[] = [
  'toolChoice',
  'parallelToolCalls',
  'maxOutputTokens',
  'responseFormat',
  'verbosity',
  'temperature',
  'topP',
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
  'userId',
];

test('an encoded request decodes to the same, except for what the protocol cannot express', () => {
  const arbitrary = anyRequest({
    fields: FIELDS,
    media: ['image-url', 'image-data', 'file-data', 'audio'],
    fileFacts: false,
    cacheHints: false,
    citations: false,
    opaqueParts: false,
    origins: ['openai-chat'],
    outputMedia: false,
    resultMedia: false,
    resultErrors: false,
    strict: false,
  }).filter(({ responseFormat }) => responseFormat?.type !== 'json');
  fc.assert(
    fc.property(arbitrary, (request) => {
      const diagnostics = new Diagnostics();
      const body = runToEnd(encodeRequest(request, TARGET, diagnostics));
      expect(diagnostics.errors).toEqual([]);
      const read = runToEnd(parseRequest(Buffer.from(JSON.stringify(body))));
      if (!read.ok) throw new Error(read.error.message);
      const again = runToEnd(decodeRequest(read.parsed));
      if (!again.ok) throw new Error(again.error.message);
      expect(again.warnings).toEqual([]);
      expect(withoutPlaces(again.request)).toEqual(withoutPlaces(expressible(request)));
      expect(diagnostics.warnings.every((diagnostic) => /budget|how much reasoning/.test(diagnostic.message))).toBe(
        true,
      );
    }),
    { numRuns: 150 },
  );
});

/** Without `at` and names, which only a decoder sets. */
function withoutPlaces({ names: _names, ...request }: CanonicalRequest): unknown {
  return JSON.parse(JSON.stringify(request, (key, value: unknown) => (key === 'at' ? undefined : value)));
}

function expressible(request: CanonicalRequest): CanonicalRequest {
  const { reasoning, logitBias, toolChoice, parallelToolCalls, ...rest } = request;
  const effort = reasoning?.effort ?? (reasoning?.budgetTokens && effortOf(reasoning.budgetTokens));
  const isNone = reasoning?.budgetTokens === 0;
  return {
    ...rest,
    messages: request.messages.map(expressibleMessage),
    tools: request.tools,
    ...(request.tools.length > 0 && {
      ...(toolChoice !== undefined && { toolChoice }),
      ...(parallelToolCalls !== undefined && { parallelToolCalls }),
    }),
    ...(logitBias !== undefined && Object.keys(logitBias).length > 0 && { logitBias }),
    ...(effort ? { reasoning: { effort } } : isNone && { reasoning: { effort: 'none' } }),
  };
}

/** Reasoning comes first and calls last. Reasoning without signatures is one text. */
function expressibleMessage(message: Message): Message {
  if (message.role === 'user') {
    const parts = message.parts.map((part) => (part.type === 'file' ? { ...part, filename: 'document.pdf' } : part));
    return { ...message, parts };
  }
  if (message.role !== 'assistant') return message;
  const reasoning = message.parts.filter((part) => part.type === 'reasoning');
  const said = message.parts.filter((part) => part.type === 'text' || part.type === 'refusal');
  const calls = message.parts.filter((part) => part.type === 'tool-call');
  const hasSignature = reasoning.some((part) => part.opaque !== undefined);
  const plain: ReasoningPart[] = [
    { type: 'reasoning', form: 'full', text: reasoning.map((part) => part.text).join('') },
  ];
  const reported = hasSignature || reasoning.length === 0 ? reasoning : plain;
  return { ...message, parts: [...reported, ...said, ...calls] };
}
