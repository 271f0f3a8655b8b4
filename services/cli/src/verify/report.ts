import { formatDollars } from '@tollgate/common/money';
import { formatFields } from '../output/table.ts';
import type { Billing } from './billed.ts';
import type { Tally } from './challenge.ts';

/** What a challenge has shown. */
export interface Finding {
  limitNanos: bigint;
  tally: Tally;
  /** As the gateway says; undefined: it does not say. */
  billed: Billing | undefined;
  /** As the scripted upstream counted; undefined: there was none. */
  servedNanos: bigint | undefined;
  deleted: boolean;
}

/** How much more was spent than the limit allows. */
export function overshootOf(finding: Finding): bigint {
  const over = spentOf(finding) - finding.limitNanos;
  return over > 0n ? over : 0n;
}

/**
 * Why the challenge has failed, or shown nothing; undefined: the gateway has held the limit.
 *
 * A gateway that refuses everything holds any limit, so half of it has to be spent, unless the key was deleted.
 */
export function failureOf(finding: Finding): string | undefined {
  const { limitNanos, tally, billed, servedNanos, deleted } = finding;
  if (tally.acceptedAfterDeletion > 0)
    return `${tally.acceptedAfterDeletion} requests were accepted after the key was deleted`;
  if (!deleted && billed === undefined && servedNanos === undefined)
    return 'the gateway does not say what it billed: count at an upstream, with --upstream';
  const overshoot = overshootOf(finding);
  if (overshoot > 0n) return `the gateway overshot the limit by $${formatDollars(overshoot)}`;
  const spent = spentOf(finding);
  if (!deleted && spent * 2n < limitNanos)
    return `inconclusive: only $${formatDollars(spent)} of the limit was spent, use more --clients or a lower --limit`;
  return undefined;
}

/**
 * What the gateway billed, if it says so. An upstream counts more: of a response whose reader leaves, also what was on its way.
 */
function spentOf({ billed, servedNanos = 0n }: Finding): bigint {
  return billed?.nanos ?? servedNanos;
}

/** The finding as JSON; money is decimal text. */
export function toJson(finding: Finding): unknown {
  const { limitNanos, tally, billed, servedNanos } = finding;
  return {
    limit: formatDollars(limitNanos),
    billed: billed === undefined ? null : formatDollars(billed.nanos),
    billed_by: billed?.source ?? null,
    served: servedNanos === undefined ? null : formatDollars(servedNanos),
    overshoot: formatDollars(overshootOf(finding)),
    requests: { buffered: tally.buffered, streamed: tally.streamed, cancelled: tally.cancelled },
    accepted: tally.accepted,
    refused: [...tally.refused].map(([status, { count, message }]) => ({ status: status || null, count, message })),
    accepted_after_deletion: finding.deleted ? tally.acceptedAfterDeletion : null,
    seconds: Math.round(tally.elapsedMs / 100) / 10,
  };
}

export function toText(finding: Finding): string {
  const { limitNanos, tally, billed, servedNanos } = finding;
  const { buffered, streamed, cancelled } = tally;
  const dollars = (nanos: bigint | undefined) => (nanos === undefined ? 'not known' : `$${formatDollars(nanos)}`);
  return formatFields([
    ['requests', `${buffered} buffered, ${streamed} streamed, ${cancelled} cancelled`],
    ['accepted', String(tally.accepted)],
    ...[...tally.refused].map(([status, { count, message }]): [string, string] => [
      status === 0 ? 'no response' : `refused, ${status}`,
      `${count}, such as: ${message}`,
    ]),
    ...(finding.deleted
      ? [['accepted after deletion', String(tally.acceptedAfterDeletion)] satisfies [string, string]]
      : []),
    ['limit', dollars(limitNanos)],
    [billed === undefined ? 'billed' : `billed, says ${billed.source}`, dollars(billed?.nanos)],
    ['served by the upstream', dollars(servedNanos)],
    ['overshot by', dollars(overshootOf(finding))],
  ]);
}
