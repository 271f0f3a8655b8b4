import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { NO_USAGE } from '../arithmetic.ts';
import { mutateJson, writeJson } from '../json-mutation.ts';
import { chance, type Random } from '../random.ts';
import { type Mode, modeOf } from './modes.ts';
import { isObject } from './read-usage.ts';
import { refusal } from './refusal.ts';
import { lieAbout } from './report-lies.ts';
import type { Report, UpstreamCall, UpstreamResponse } from './response.ts';

/** Responds to a call for embeddings. */
export function answerEmbeddings(random: Random, call: UpstreamCall, path: string): UpstreamResponse {
  const mode = plainMode(modeOf(random));
  if (mode === 'refusal') return refusal(random, call);
  const tokens = 1 + random.below(20);
  const honest =
    call.protocol === 'gemini' ? { promptTokenCount: tokens } : { prompt_tokens: tokens, total_tokens: tokens };
  const usage = mode === 'usage' ? lieAbout(random, honest) : honest;
  const value = call.protocol === 'gemini' ? geminiVectors(call, path, usage) : openaiVectors(call, usage);
  const text = mode === 'fields' ? mutateJson(random, value, 1 + random.below(3)).text : writeJson(value);
  const bytes = Buffer.from(text);
  const isCut = mode === 'cut';
  return {
    mode,
    status: 200,
    headers: { 'content-type': 'application/json' },
    pieces: [isCut ? bytes.subarray(0, random.below(bytes.length)) : bytes],
    pauseMs: 0,
    ending: isCut && chance(random, 500) ? 'reset' : 'end',
    isWhole: mode === 'honest' || mode === 'usage',
    report: mode === 'honest' || mode === 'usage' ? reportOf(call.protocol, usage) : { kind: 'unknown' },
    textBytes: 0,
  };
}

function plainMode(mode: Mode): Mode {
  return mode === 'usage' || mode === 'fields' || mode === 'cut' || mode === 'refusal' ? mode : 'honest';
}

/** Only the prompt is reported; no input is empty, so 0 tokens is no report. */
function reportOf(protocol: ProtocolName, usage: unknown): Report {
  const names = protocol === 'gemini' ? ['promptTokenCount', 'totalTokenCount'] : ['prompt_tokens', 'total_tokens'];
  const counts = isObject(usage) ? names.map((name) => numberOf(usage[name])) : [];
  const input = counts.find((count): count is number => Number.isSafeInteger(count) && Number(count) > 0);
  return input === undefined ? { kind: 'none' } : { kind: 'reported', usage: { ...NO_USAGE, input } };
}

/** Some providers write counts as texts. */
function numberOf(count: unknown): unknown {
  return typeof count === 'string' && /^\d+$/.test(count) ? Number(count) : count;
}

const VECTOR = [0.5, -0.25, 1];

function openaiVectors({ body, model }: UpstreamCall, usage: unknown): object {
  const { input, encoding_format: format } = JSON.parse(body) as { input: unknown; encoding_format?: string };
  const isMany = Array.isArray(input) && typeof input[0] !== 'number';
  const base64 = Buffer.from(new Float32Array(VECTOR).buffer).toString('base64');
  const data = Array.from({ length: isMany ? input.length : 1 }, (_, index) => ({
    object: 'embedding',
    index,
    embedding: format === 'base64' ? base64 : VECTOR,
  }));
  return { object: 'list', data, model, usage };
}

function geminiVectors({ body }: UpstreamCall, path: string, usage: unknown): object {
  const reported = usage === undefined ? {} : { usageMetadata: usage };
  if (path.endsWith(':embedContent')) return { embedding: { values: VECTOR }, ...reported };
  const { requests } = JSON.parse(body) as { requests: unknown[] };
  return { embeddings: requests.map(() => ({ values: VECTOR })), ...reported };
}
