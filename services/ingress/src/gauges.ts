import type { Server } from 'node:net';
import type { Dependencies } from './dependencies.ts';

/** Registers the gauges of the process: connections, readiness, memory, leases and the charge journal. */
export function registerGauges(dependencies: Dependencies, server: Pick<Server, 'getConnections'>): void {
  const { metrics, wallet, edge, requestBuffers, responseBuffers, readiness } = dependencies;
  metrics.connections(server);
  metrics.readiness(readiness);
  metrics.buffered({ request: () => requestBuffers.usedBytes, answer: () => responseBuffers.usedBytes });
  metrics.gauge('tollgate.open_requests', 'Open requests with a valid key.', () => edge.stats().openRequests);
  metrics.gauge('tollgate.websockets', 'Open WebSockets.', () => edge.stats().websockets);
  metrics.gauge(
    'tollgate.websockets.kept',
    'Bytes of responses that the next message of their WebSocket can continue.',
    () => edge.stats().keptBytes,
  );
  metrics.gauge('tollgate.leases', 'Accounts with a credit lease in this process.', () => wallet.stats().leases);
  metrics.gauge(
    'tollgate.journal.records',
    'Charges in the journal that the ledger has not acknowledged.',
    () => wallet.stats().journalRecords,
  );
  metrics.gauge('tollgate.journal.size', 'Bytes of the charge journal.', () => wallet.stats().journalBytes);
  metrics.gauge(
    'tollgate.journal.filled',
    'Share of the charge journal taken by charges that the ledger has not acknowledged, 0 to 1.',
    () => wallet.stats().journalFilled,
  );
  metrics.gauge(
    'tollgate.journal.damaged',
    'Copies of damaged segments in the directory of the charge journal.',
    () => wallet.stats().journalDamaged,
  );
  metrics.gauge(
    'tollgate.clock.ahead',
    "Milliseconds that this clock is ahead of the ledger database's, below 0 behind it; 0 within a round trip.",
    () => wallet.stats().clockAheadMs,
  );
}
