import type { TokenLogprob } from '../../canonical/response.ts';
import { isRecord, type JsonRecord, recordOr } from '../../json/record.ts';

/** Decodes the log probabilities of a text's tokens; malformed ones are ignored. */
export function decodeLogprobs(value: unknown): TokenLogprob[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((element): TokenLogprob[] => {
    const one = decodeToken(element);
    if (one === undefined) return [];
    const top = recordOr(element)['top_logprobs'];
    return [{ ...one, top: Array.isArray(top) ? top.flatMap((other) => decodeToken(other) ?? []) : [] }];
  });
}

function decodeToken(value: unknown): Omit<TokenLogprob, 'top'> | undefined {
  if (!isRecord(value)) return undefined;
  const { token, logprob, bytes } = value;
  if (typeof token !== 'string' || typeof logprob !== 'number') return undefined;
  const known = Array.isArray(bytes) && bytes.every((byte) => typeof byte === 'number') ? { bytes } : {};
  return { token, logprob, ...known };
}

/** Encodes them; a token without bytes gets those of its text. */
export function encodeLogprobs(tokens: readonly TokenLogprob[]): JsonRecord[] {
  return tokens.map((one) => ({ ...oneJson(one), top_logprobs: one.top.map(oneJson) }));
}

function oneJson({ token, logprob, bytes }: Omit<TokenLogprob, 'top'>): JsonRecord {
  return { token, logprob, bytes: bytes ?? [...Buffer.from(token)] };
}
