import type { TokenLogprob } from '../../canonical/response.ts';
import { isRecord, type JsonRecord, recordOr } from '../../json/record.ts';

/** Reads the `logprobs` of a choice: those of its content and of its refusal. Undefined when there are none. */
export function decodeLogprobs(value: unknown): readonly TokenLogprob[] | undefined {
  const { content, refusal } = recordOr(value);
  if (!Array.isArray(content) && !Array.isArray(refusal)) return undefined;
  const tokens = [...listOf(content), ...listOf(refusal)].flatMap(readToken);
  return tokens.length === 0 ? undefined : tokens;
}

function readToken(value: unknown): TokenLogprob[] {
  const head = readHead(value);
  if (head === undefined) return [];
  const top = listOf(recordOr(value)['top_logprobs']).flatMap((other) => readHead(other) ?? []);
  return [{ ...head, top }];
}

function readHead(value: unknown): Omit<TokenLogprob, 'top'> | undefined {
  if (!isRecord(value)) return undefined;
  const { token, logprob, bytes } = value;
  if (typeof token !== 'string' || typeof logprob !== 'number') return undefined;
  const isKnown = Array.isArray(bytes) && bytes.every((byte) => typeof byte === 'number');
  return isKnown ? { token, logprob, bytes } : { token, logprob };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The `logprobs` of a choice. */
export function encodeLogprobs(tokens: readonly TokenLogprob[]): JsonRecord {
  const content = tokens.map(({ token, logprob, bytes, top }) => ({
    token,
    logprob,
    bytes: bytes ?? null,
    top_logprobs: top.map((other) => ({ token: other.token, logprob: other.logprob, bytes: other.bytes ?? null })),
  }));
  return { content, refusal: null };
}
