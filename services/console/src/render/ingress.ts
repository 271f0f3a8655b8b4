import { formatDollars } from '@tollgate/common/money';
import type { Watcher } from '@tollgate/proto/auth';
import type { IngressSession } from '@tollgate/proto/ledger';
import { renderTime } from './time.ts';

/**
 * The ingresses that auth and the ledger know, by name. A restarted ingress has another session and stream under the same
 * name: they are paired from the latest to be heard.
 */
export function renderIngresses(sessions: readonly IngressSession[], watchers: readonly Watcher[]) {
  const sessionsByName = Map.groupBy(sessions.toSorted(bySilence), ({ ingressName }) => ingressName);
  const watchersByName = Map.groupBy(watchers.toSorted(bySilence), ({ ingressName }) => ingressName);
  const names = [...new Set([...sessionsByName.keys(), ...watchersByName.keys()])].sort();
  return names.flatMap((name) => {
    const own = sessionsByName.get(name) ?? [];
    const streams = watchersByName.get(name) ?? [];
    const count = Math.max(own.length, streams.length);
    return Array.from({ length: count }, (_, index) => renderIngress(name, own[index], streams[index]));
  });
}

function bySilence(a: { silentMs: bigint }, b: { silentMs: bigint }): number {
  return Number(a.silentMs - b.silentMs);
}

function renderIngress(name: string, session: IngressSession | undefined, watcher: Watcher | undefined) {
  return {
    ingress: name,
    started_at: session === undefined ? null : renderTime(session.openedAtMs),
    revocation_silent_ms: numberOrNull(watcher?.silentMs),
    unconfirmed_changes: numberOrNull(watcher?.unconfirmed),
    ledger_silent_ms: numberOrNull(session?.silentMs),
    leased: session?.leasedNanos === undefined ? null : formatDollars(session.leasedNanos),
    unsettled_charges: numberOrNull(session?.unsettledCharges),
    oldest_unsettled_ms: numberOrNull(session?.oldestUnsettledMs),
  };
}

function numberOrNull(value: bigint | undefined): number | null {
  return value === undefined ? null : Number(value);
}
