import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { PROMPT_CANARY } from '../canaries.ts';
import { EMBEDDING_UPSTREAMS, embeddingModelOf, modelOf, UPSTREAMS } from '../catalogue.ts';
import { chance, type Random, weighted } from '../random.ts';
import { type Corpus, validBody } from './valid.ts';
import type { CallKind } from './wire.ts';

/** A valid call, before mutation. */
export interface ValidCall {
  kind: CallKind;
  protocol: ProtocolName | undefined;
  model: string | undefined;
  streamed: boolean;
  method: string;
  path: string;
  body: Record<string, unknown> | undefined;
}

const GENERATION_PATHS = {
  'openai-chat': ['/v1/chat/completions', '/chat/completions'],
  'openai-responses': ['/v1/responses', '/responses'],
  'anthropic-messages': ['/v1/messages', '/v1/messages?beta=true'],
} as const;

/** A random call of any endpoint, by a client of the slot. */
export function validCall(random: Random, corpus: Corpus, slot: number): ValidCall {
  const kind = weighted<CallKind>(random, [
    [840, 'generate'],
    [60, 'embed'],
    [40, 'count'],
    [15, 'models'],
    [40, 'billing'],
    [15, 'nowhere'],
  ]);
  switch (kind) {
    case 'generate':
    case 'count':
      return promptCall(random, corpus, slot, kind);
    case 'embed':
      return embeddingCall(random, slot);
    case 'models':
      return modelsCall(random, slot);
    case 'billing':
      return read('billing', billingPath(random));
    case 'nowhere':
      return read(
        'nowhere',
        random.pick(['/v1/nothing', '/', '//', '/v1/%ff', '/v1/models/%2e%2e', '/v2/chat', '/v1/billing']),
      );
    default:
      return kind satisfies never;
  }
}

function promptCall(random: Random, corpus: Corpus, slot: number, kind: 'generate' | 'count'): ValidCall {
  const protocols: readonly [ProtocolName, ...ProtocolName[]] =
    kind === 'generate'
      ? ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini']
      : ['openai-responses', 'anthropic-messages', 'gemini'];
  const protocol = random.pick(protocols);
  const upstream = random.pick(UPSTREAMS as readonly [ProtocolName, ...ProtocolName[]]);
  const model = modelOf(slot, upstream);
  const streamed = kind === 'generate' && chance(random, 600);
  const body = validBody(random, corpus, protocol);
  const call = { kind, protocol, model, streamed, method: 'POST' };
  if (protocol === 'gemini') {
    const { model: _model, ...rest } = body;
    const version = random.pick(['v1beta', 'v1beta', 'v1']);
    const stream = random.pick([
      'streamGenerateContent?alt=sse',
      'streamGenerateContent?alt=sse',
      'streamGenerateContent',
    ]);
    const method = kind === 'count' ? 'countTokens' : streamed ? stream : 'generateContent';
    return { ...call, path: `/${version}/models/${model}:${method}`, body: rest };
  }
  const named = { ...body, model };
  if (kind === 'count') {
    const { max_tokens: _limit, stream: _stream, ...counted } = { max_tokens: 0, stream: false, ...named };
    const path = protocol === 'anthropic-messages' ? '/v1/messages/count_tokens' : '/v1/responses/input_tokens';
    return { ...call, path, body: counted };
  }
  const path = random.pick(GENERATION_PATHS[protocol]);
  const options =
    streamed && protocol === 'openai-chat' && chance(random, 700) ? { stream_options: { include_usage: true } } : {};
  return { ...call, path, body: { ...named, ...(streamed ? { stream: true, ...options } : { stream: undefined }) } };
}

function embeddingCall(random: Random, slot: number): ValidCall {
  const model = embeddingModelOf(slot, random.pick(EMBEDDING_UPSTREAMS));
  const text = `${PROMPT_CANARY} a text`;
  const call = { kind: 'embed' as const, model, streamed: false, method: 'POST', protocol: undefined };
  const content = { parts: [{ text }] };
  switch (random.below(3)) {
    case 0: {
      const input = random.pick<string | string[]>([text, [text, text, 'third'], [text]]);
      const format = chance(random, 300) ? { encoding_format: 'base64' } : {};
      return { ...call, path: '/v1/embeddings', body: { model, input, ...format } };
    }
    case 1:
      return { ...call, path: `/v1beta/models/${model}:embedContent`, body: { content } };
    default: {
      const requests = [
        { model: `models/${model}`, content },
        { model: `models/${model}`, content },
      ];
      return { ...call, path: `/v1/models/${model}:batchEmbedContents`, body: { requests } };
    }
  }
}

function modelsCall(random: Random, slot: number): ValidCall {
  const id = modelOf(slot, 'gemini');
  return read(
    'models',
    random.pick(['/v1/models', '/models', `/v1/models/${id}`, '/v1beta/models?pageSize=5', `/v1beta/models/${id}`]),
  );
}

function billingPath(random: Random): string {
  const now = Date.now() / 1_000;
  const range = `start=${Math.floor(now - 3_600)}&end=${Math.floor(now + 60)}`;
  return random.pick([
    '/v1/billing/balance',
    `/v1/billing/requests?${range}&limit=3`,
    `/v1/billing/usage?${range}&interval=hour&group_by=key`,
    `/v1/billing/deposits?${range}`,
    '/v1/billing/requests/019aa5f3-6f0b-7c2a-9d53-0c7f3a1c9e44',
    '/v1/billing/requests?trace_id=0123456789abcdef0123456789abcdef',
    `/v1/billing/requests?start=${Math.floor(now)}&end=1`,
    '/v1/billing/requests/no-uuid',
    `/v1/billing/requests?${range}&limit=0&limit=1`,
    `/v1/billing/requests?${range}&cursor=%00%ff`,
    `/v1/billing/requests?${range}&model=%ed%a0%80`,
  ]);
}

function read(kind: 'models' | 'billing' | 'nowhere', path: string): ValidCall {
  return { kind, protocol: undefined, model: undefined, streamed: false, method: 'GET', path, body: undefined };
}
