import { tierOf } from '../../canonical/service-tier.ts';
import { countOf, inputTokensOf, type Usage, usageOf, writtenTokensOf } from '../../canonical/usage.ts';
import { detailsOf, NO_REPORT, type UsageReport, wordOf } from '../../canonical/usage-report.ts';
import { readInclusiveUsage, unreadableInclusiveUsage } from '../../interface/inclusive-usage.ts';
import { readUpstreamCost } from '../../interface/upstream-cost.ts';
import { isRecord, isSet, type JsonRecord, recordOr } from '../../json/record.ts';

/** A usage report of a response or a chunk, and where it was. */
export interface ChatReport extends UsageReport {
  /** Whether it is a complete report in the member `usage`, where clients look for it. */
  readonly isInPlace: boolean;
  /** Whether it is the report of one choice, see ofResponse. */
  readonly isOfChoice: boolean;
}

const NO_CHAT_REPORT: ChatReport = { ...NO_REPORT, isInPlace: false, isOfChoice: false };

/**
 * Reads the usage of a response or a chunk, wherever providers put it: `usage`; in streams `x_groq.usage` (Groq) or the
 * `usage` of a choice (Moonshot); or the `timings` of llama.cpp if there is no other. OpenAI names the tier in every chunk.
 *
 * @param data the JSON of the response or chunk
 */
export function readReport(body: JsonRecord, data: Buffer): ChatReport {
  const own = body['usage'];
  const foreign = isSet(own) ? undefined : foreignUsage(body);
  const report = own ?? foreign?.usage;
  const serviceTier = tierOf(wordOf(body['service_tier']));
  if (!isRecord(report)) {
    const usage = readTimings(body['timings']);
    if (usage === undefined && serviceTier === undefined) return NO_CHAT_REPORT;
    return { ...NO_CHAT_REPORT, usage, details: serviceTier === undefined ? undefined : { serviceTier } };
  }
  const usage = withTimings(readInclusiveUsage(report), body['timings']);
  const text = () => data.toString('utf8');
  const read: ChatReport = {
    usage,
    unreadable: unreadableInclusiveUsage(report),
    details: detailsOf({
      upstreamCostNanos: report === own ? readUpstreamCost(report, text, ['usage']) : undefined,
      serviceTier,
    }),
    isInPlace: report === own && isSet(report['prompt_tokens']) && isSet(report['completion_tokens']),
    isOfChoice: foreign?.isOfChoice === true,
  };
  const { choices } = body;
  return ofResponse(read, { hasSeveral: Array.isArray(choices) && choices.length > 1, isFirst: true });
}

/**
 * The report of a response that may have several choices. No provider says whether the usage within one of several is its own or
 * that of all until then, so only its input counts, once, and the output is left to be estimated.
 */
export function ofResponse(
  report: ChatReport,
  { hasSeveral, isFirst }: { hasSeveral: boolean; isFirst: boolean },
): ChatReport {
  const { usage, isOfChoice } = report;
  if (!isOfChoice || !hasSeveral || usage === undefined) return report;
  return { ...report, usage: isFirst ? { ...usage, output: 0, reasoning: 0 } : undefined };
}

function foreignUsage(body: JsonRecord): { usage: unknown; isOfChoice: boolean } | undefined {
  if (isSet(body['x_groq'])) {
    const { usage } = recordOr(body['x_groq']);
    if (isSet(usage)) return { usage, isOfChoice: false };
  }
  const { choices } = body;
  if (!Array.isArray(choices)) return undefined;
  for (const choice of choices) {
    const { usage } = recordOr(choice);
    if (isSet(usage)) return { usage, isOfChoice: true };
  }
  return undefined;
}

/** llama.cpp: tokens of the prompt that were processed, tokens that were in its cache, and generated ones. */
function readTimings(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const processed = countOf(value['prompt_n']);
  const output = countOf(value['predicted_n']);
  if (processed === undefined || output === undefined) return undefined;
  return usageOf({ input: processed, cache_read: countOf(value['cache_n']) ?? 0, output });
}

/** llama.cpp before 2026 reports cached tokens only there. */
function withTimings(usage: Usage | undefined, timings: unknown): Usage | undefined {
  if (usage === undefined || usage.cache_read > 0) return usage;
  const timed = readTimings(timings);
  if (timed === undefined || timed.cache_read === 0 || inputTokensOf(timed) !== usage.input) return usage;
  return { ...usage, input: timed.input, cache_read: timed.cache_read };
}

/**
 * A `usage` object of chat completions, for a response whose upstream reported none.
 *
 * @param cost a JSON number of US dollars
 */
export function encodeUsage(usage: Usage, cost: string): string {
  const prompt = inputTokensOf(usage);
  const completion = usage.output + usage.reasoning;
  const counts = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: usage.cache_read,
      cache_write_tokens: writtenTokensOf(usage),
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
  return `${JSON.stringify(counts).slice(0, -1)},"cost":${cost}}`;
}
