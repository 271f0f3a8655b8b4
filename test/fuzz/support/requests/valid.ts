import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { runToEnd } from '@tollgate/protocols/lists/stages';
import { protocolOf } from '@tollgate/protocols/registry';
import { Diagnostics } from '@tollgate/protocols/request/diagnostics';
import { request as anyRequest } from '@tollgate/protocols/testing/canonical/arbitrary-request';
import fc from 'fast-check';
import { PROMPT_CANARY } from '../canaries.ts';
import { MAX_OUTPUT_TOKENS, UPSTREAMS } from '../catalogue.ts';
import { chance, type Random } from '../random.ts';

type Body = Record<string, unknown>;

/** Varied requests of each protocol: the encoders' output for any canonical request. */
export type Corpus = ReadonlyMap<ProtocolName, readonly Body[]>;

const CORPUS_SIZE = 250;

/** Fields of every protocol, so that most requests can be sent to every upstream. */
const COMMON = ['toolChoice', 'maxOutputTokens', 'temperature', 'topP', 'responseFormat', 'reasoning'] as const;

export function buildCorpus(seed: number): Corpus {
  const common = fc.sample(anyRequest({ fields: COMMON }), { seed, numRuns: CORPUS_SIZE });
  const requests = [...common, ...fc.sample(anyRequest({}), { seed, numRuns: CORPUS_SIZE })];
  const target = {
    upstreamModel: 'a-model',
    outputTokens: undefined,
    isStream: false,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
  };
  return new Map(
    UPSTREAMS.map((name) => {
      const bodies = requests.flatMap((request) => {
        const notes = new Diagnostics();
        const body = runToEnd(protocolOf(name).upstream.encodeRequest(request, target, notes));
        return notes.errors.length === 0 ? [JSON.parse(JSON.stringify(body)) as Body] : [];
      });
      return [name, bodies];
    }),
  );
}

const TEXTS = [
  'Say hello.',
  'Übersetze „Grüße" ins Englische 🌍',
  'Please write a long story about a gateway. '.repeat(20),
  'x',
  'a\u0000b',
  '\ud800',
  '\u202e\ufeff\u2028',
  'z\u0337\u0321\u0352'.repeat(300),
  'é'.repeat(20_000),
  '"}],"n":99,"x":[{"',
  'data: [DONE]\n\n',
];

/** A valid body in a client's protocol, without a model. */
export function validBody(random: Random, corpus: Corpus, protocol: ProtocolName): Body {
  const bodies = corpus.get(protocol) ?? [];
  const rich = chance(random, 280) ? bodies[random.below(bodies.length)] : undefined;
  if (rich !== undefined) return structuredClone(rich);
  const text = `${PROMPT_CANARY} ${random.pick(TEXTS as [string, ...string[]])}`;
  const limit = chance(random, 700) ? 16 + random.below(500) : undefined;
  switch (protocol) {
    case 'openai-chat':
      return chatBody(random, text, limit);
    case 'openai-responses':
      return responsesBody(random, text, limit);
    case 'anthropic-messages':
      return messagesBody(random, text, limit ?? 300);
    case 'gemini':
      return geminiBody(random, text, limit);
    default:
      return protocol satisfies never;
  }
}

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function chatBody(random: Random, text: string, limit: number | undefined): Body {
  const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };
  const content = chance(random, 200) ? [{ type: 'text', text }, picture] : text;
  const tool = { type: 'function', function: { name: 'weather', description: 'Tells it.', parameters: SCHEMA } };
  return {
    messages: [
      ...(chance(random, 300) ? [{ role: 'system', content: 'Be brief.' }] : []),
      { role: 'user', content },
      ...(chance(random, 200)
        ? [
            { role: 'assistant', content: 'Well.' },
            { role: 'user', content: 'Go on.' },
          ]
        : []),
    ],
    ...(limit === undefined ? {} : { [chance(random, 500) ? 'max_tokens' : 'max_completion_tokens']: limit }),
    ...(chance(random, 200) ? { tools: [tool] } : {}),
    ...(chance(random, 200) ? { temperature: 0.5, top_p: 0.9 } : {}),
    ...(chance(random, 20) ? { n: 2 } : {}),
    ...(chance(random, 20) ? { stop: ['END'] } : {}),
  };
}

function responsesBody(random: Random, text: string, limit: number | undefined): Body {
  const picture = { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' };
  const content = [{ type: 'input_text', text }, ...(chance(random, 200) ? [picture] : [])];
  return {
    input: chance(random, 300) ? text : [{ role: 'user', content }],
    ...(limit === undefined ? {} : { max_output_tokens: limit }),
    ...(chance(random, 200) ? { instructions: 'Be brief.' } : {}),
    ...(chance(random, 200) ? { tools: [{ type: 'function', name: 'weather', parameters: SCHEMA }] } : {}),
    ...(chance(random, 200) ? { temperature: 0.5 } : {}),
    ...(chance(random, 200) ? { store: false } : {}),
  };
}

function messagesBody(random: Random, text: string, limit: number): Body {
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
  return {
    max_tokens: limit,
    messages: [
      {
        role: 'user',
        content: chance(random, 300) ? text : [{ type: 'text', text }, ...(chance(random, 200) ? [picture] : [])],
      },
    ],
    ...(chance(random, 200)
      ? { system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }] }
      : {}),
    ...(chance(random, 200) ? { tools: [{ name: 'weather', input_schema: SCHEMA }] } : {}),
    ...(chance(random, 200) ? { temperature: 0.5, metadata: { user_id: 'someone' } } : {}),
  };
}

function geminiBody(random: Random, text: string, limit: number | undefined): Body {
  const parts = [{ text }, ...(chance(random, 200) ? [{ inlineData: { mimeType: 'image/png', data: PNG } }] : [])];
  return {
    contents: [{ role: 'user', parts }],
    ...(limit === undefined ? {} : { generationConfig: { maxOutputTokens: limit } }),
    ...(chance(random, 200) ? { systemInstruction: { parts: [{ text: 'Be brief.' }] } } : {}),
    ...(chance(random, 200) ? { tools: [{ functionDeclarations: [{ name: 'weather', parameters: SCHEMA }] }] } : {}),
  };
}
