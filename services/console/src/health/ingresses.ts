import type { Watcher } from '@tollgate/proto/auth';
import type { IngressState } from '@tollgate/proto/console/operators';
import type { IngressSession } from '@tollgate/proto/ledger';

/**
 * The ingresses that auth and the ledger know, by name. A restarted ingress has another session and stream under the same
 * name: they are paired from the latest to be heard.
 */
export function ingressesOf(sessions: readonly IngressSession[], watchers: readonly Watcher[]): IngressState[] {
  const sessionsByName = Map.groupBy(sessions.toSorted(bySilence), ({ ingressName }) => ingressName);
  const watchersByName = Map.groupBy(watchers.toSorted(bySilence), ({ ingressName }) => ingressName);
  const names = [...new Set([...sessionsByName.keys(), ...watchersByName.keys()])].sort();
  return names.flatMap((name) => {
    const own = sessionsByName.get(name) ?? [];
    const streams = watchersByName.get(name) ?? [];
    const count = Math.max(own.length, streams.length);
    return Array.from({ length: count }, (_, index) => ingressOf(name, own[index], streams[index]));
  });
}

function bySilence(a: { silentMs: bigint }, b: { silentMs: bigint }): number {
  return Number(a.silentMs - b.silentMs);
}

function ingressOf(name: string, session: IngressSession | undefined, watcher: Watcher | undefined): IngressState {
  return {
    ingress: name,
    startedAtMs: session?.openedAtMs,
    revocationSilentMs: watcher?.silentMs,
    unconfirmedChanges: watcher?.unconfirmed,
    ledgerSilentMs: session?.silentMs,
    leasedNanos: session?.leasedNanos,
    unsettledCharges: session?.unsettledCharges,
    oldestUnsettledMs: session?.oldestUnsettledMs,
  };
}
