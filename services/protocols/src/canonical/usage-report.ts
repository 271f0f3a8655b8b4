import type { ReportedFigures, Usage } from './usage.ts';

/** What an upstream reports of a call besides quantities. Everything is absent if it is not reported. */
export interface UsageDetails {
  /** What the upstream charges the operator, in nano-dollars. */
  readonly upstreamCostNanos?: bigint;
  /** The tier that served the call, in the catalogue's form: `flex`, `priority`, `default`. */
  readonly serviceTier?: string;
  /** The region, where the upstream charges by it: `us`. */
  readonly inferenceGeo?: string;
  /** `fast`, where the upstream charges by it. */
  readonly speed?: string;
  /** The calls of the model that a response is made of. Absent if there was only one. */
  readonly calls?: readonly Usage[];
}

/** A usage report. */
export interface UsageReport {
  /** Undefined if there is none or an invalid one. */
  readonly usage: Usage | undefined;
  /** The values of an invalid report, see unreadableFigures. */
  readonly unreadable: ReportedFigures | undefined;
  /** Undefined if there are none. */
  readonly details: UsageDetails | undefined;
}

export const NO_REPORT: UsageReport = { usage: undefined, unreadable: undefined, details: undefined };

/** The details without absent ones; undefined if all are absent. */
export function detailsOf(
  details: { readonly [K in keyof UsageDetails]: UsageDetails[K] | undefined },
): UsageDetails | undefined {
  const { upstreamCostNanos, serviceTier, inferenceGeo, speed, calls } = details;
  const words = serviceTier ?? inferenceGeo ?? speed;
  if (words === undefined && upstreamCostNanos === undefined && calls === undefined) return undefined;
  return {
    ...(upstreamCostNanos !== undefined && { upstreamCostNanos }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(inferenceGeo !== undefined && { inferenceGeo }),
    ...(speed !== undefined && { speed }),
    ...(calls !== undefined && { calls }),
  };
}

/** The details of a stream, of which a later report may repeat only some. */
export function laterDetails(
  earlier: UsageDetails | undefined,
  later: UsageDetails | undefined,
): UsageDetails | undefined {
  return earlier === undefined || later === undefined ? (later ?? earlier) : { ...earlier, ...later };
}

const WORD = /^[\w.-]{1,64}$/;

/** An upstream's word for how a call was processed; undefined for anything else. */
export function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && WORD.test(value) ? value : undefined;
}
