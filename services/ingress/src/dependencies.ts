import type { Logger } from '@tollgate/common/logging';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Gate } from './attempts/gate.ts';
import type { KeyAuthenticator } from './authenticate/index.ts';
import type { YoungChargeWaits } from './billing/young-charge.ts';
import type { BufferBudget } from './buffers/buffer-budget.ts';
import type { IngressConfig } from './config.ts';
import type { CreditDesk } from './credit/index.ts';
import type { OpenCalls } from './exchange/open-calls.ts';
import type { ItemStore } from './items/item-store.ts';
import type { KeyUse } from './key-use/key-use.ts';
import type { Limiter } from './limits/index.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { OutcomeReporter } from './routes/outcome-reporter.ts';
import type { RouteWatch } from './routes/route-watch.ts';
import type { UpstreamClient } from './upstream/call.ts';
import type { CredentialReader } from './upstream/credentials.ts';

/** Everything the endpoints work with, made once at start. */
export interface Dependencies {
  config: IngressConfig;
  logger: Logger;
  authenticator: KeyAuthenticator;
  gate: Gate;
  keyUse: KeyUse;
  limiter: Limiter;
  routes: RouteWatch;
  outcomes: OutcomeReporter;
  credit: CreditDesk;
  ledger: LedgerServiceClient;
  upstream: UpstreamClient;
  openCalls: OpenCalls;
  credentials: CredentialReader;
  youngCharges: YoungChargeWaits;
  metrics: Metrics;
  /** What bodies of requests may take, decompressed. */
  requestBuffers: BufferBudget;
  /** What answers may take that are held back or remembered. */
  answerBuffers: BufferBudget;
  /** Undefined where it is switched off. */
  items: ItemStore | undefined;
  /** Why the process cannot serve, told by `/health/ready`; undefined when it can. */
  problem: () => string | undefined;
}
