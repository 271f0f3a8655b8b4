import type { TokenLogprob } from '../../canonical/response.ts';
import { numberOf } from '../../json/lossless.ts';
import { isRecord, type JsonRecord, recordOr } from '../../json/record.ts';

/** Decodes the log probabilities of a candidate's tokens, and of the alternatives at each position. */
export function decodeLogprobs(candidate: JsonRecord): TokenLogprob[] {
  const result = candidate['logprobsResult'];
  if (!isRecord(result)) return [];
  const { chosenCandidates, topCandidates } = result;
  if (!Array.isArray(chosenCandidates)) return [];
  return chosenCandidates.flatMap((item, i) => {
    const chosen = tokenOf(item);
    const top = Array.isArray(topCandidates) ? recordOr(topCandidates[i])['candidates'] : undefined;
    if (chosen === undefined) return [];
    return { ...chosen, top: Array.isArray(top) ? top.flatMap((other) => tokenOf(other) ?? []) : [] };
  });
}

function tokenOf(value: unknown): { readonly token: string; readonly logprob: number } | undefined {
  const { token, logProbability } = recordOr(value);
  // Google omits a log probability of 0.
  const logprob = logProbability === undefined ? 0 : numberOf(logProbability);
  return typeof token === 'string' && logprob !== undefined ? { token, logprob } : undefined;
}

/** The members of a candidate that hold them. */
export function encodeLogprobs(tokens: readonly TokenLogprob[]): JsonRecord {
  let sum = 0;
  for (const { logprob } of tokens) sum += logprob;
  return {
    avgLogprobs: tokens.length === 0 ? 0 : sum / tokens.length,
    logprobsResult: {
      topCandidates: tokens.map(({ top }) => ({ candidates: top.map(candidateOf) })),
      chosenCandidates: tokens.map(candidateOf),
    },
  };
}

function candidateOf({ token, logprob }: { readonly token: string; readonly logprob: number }): JsonRecord {
  return { token, logProbability: logprob };
}
