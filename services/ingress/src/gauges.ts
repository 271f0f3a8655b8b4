import type { Server } from 'node:net';
import { type Limiter } from './edge/limits/limiter.ts';
import type { ResponseSockets } from './edge/websocket/response-sockets.ts';
import type { BufferBudget } from './shared/buffers/buffer-budget.ts';
import type { Metrics } from './shared/metrics/metrics.ts';
import type { CreditManager } from './wallet/index.ts';

export interface GaugeDependencies {
  metrics: Metrics;
  credit: CreditManager;
  limiter: Limiter;
  sockets: ResponseSockets;
  requestBuffers: BufferBudget;
  responseBuffers: BufferBudget;
  readiness: Readonly<Record<string, () => boolean>>;
}

/** Registers the gauges of the process: connections, readiness, memory, leases and the charge journal. */
export function registerGauges(dependencies: GaugeDependencies, server: Pick<Server, 'getConnections'>): void {
  const { metrics, credit, limiter, sockets, requestBuffers, responseBuffers, readiness } = dependencies;
  metrics.connections(server);
  metrics.readiness(readiness);
  metrics.buffered({ request: () => requestBuffers.usedBytes, answer: () => responseBuffers.usedBytes });
  metrics.gauge('tollgate.open_requests', 'Open requests with a valid key.', () => limiter.openRequests);
  metrics.gauge('tollgate.websockets', 'Open WebSockets.', () => sockets.open);
  metrics.gauge(
    'tollgate.websockets.kept',
    'Bytes of responses that the next message of their WebSocket can continue.',
    () => sockets.keptBytes,
  );
  metrics.gauge('tollgate.leases', 'Accounts with a credit lease in this process.', () => credit.stats().leases);
  metrics.gauge(
    'tollgate.journal.records',
    'Charges in the journal that the ledger has not acknowledged.',
    () => credit.stats().journalRecords,
  );
  metrics.gauge('tollgate.journal.size', 'Bytes of the charge journal.', () => credit.stats().journalBytes);
  metrics.gauge(
    'tollgate.journal.filled',
    'Share of the charge journal taken by charges that the ledger has not acknowledged, 0 to 1.',
    () => credit.stats().journalFilled,
  );
  metrics.gauge(
    'tollgate.journal.damaged',
    'Copies of damaged segments in the directory of the charge journal.',
    () => credit.stats().journalDamaged,
  );
  metrics.gauge(
    'tollgate.clock.ahead',
    "Milliseconds that this clock is ahead of the ledger database's, below 0 behind it; 0 within a round trip.",
    () => credit.stats().clockAheadMs,
  );
}
