import { grpcServerSettings, milliseconds, postgresSettings } from '@tollgate/common/config';
import { z } from 'zod';

const DAY_MS = 86_400_000;

/** Settings of the ledger, by the names of their environment variables. */
export const configSchema = z.object({
  ...grpcServerSettings,
  ...postgresSettings,
  /** An ingress makes no new hold this long after it sent its last confirmed heartbeat. */
  SESSION_TTL_MS: milliseconds.min(1_000).default(15_000),
  /** How often an ingress is asked to send a heartbeat, and how often the ledger looks for dead sessions. */
  HEARTBEAT_INTERVAL_MS: milliseconds.min(100).default(3_000),
  /** The longest a request may run. A dead session's credit is kept at least this long. */
  MAX_REQUEST_MS: milliseconds.default(3_600_000),
  /** Further time a dead session's credit is kept, for its journal to be replayed. */
  REPLAY_MARGIN_MS: milliseconds.default(600_000),
  /**
   * How long unspent credit of other sessions is recalled for before an acquire is refused; 0 refuses at once. Ingresses
   * wait for an answer for 2 seconds.
   */
  RECALL_WAIT_MS: milliseconds.max(1_000).default(300),
  /** Settlement transactions that may run at the same time. */
  SETTLE_LANES: z.coerce.number().int().min(1).max(16).default(2),
  /** Charges of one settlement transaction at most; batches that arrive together share one. */
  SETTLE_MAX_ROWS: z.coerce.number().int().min(1_000).max(10_000).default(1_000),
  /** Charges whose request is older than this go to quarantine. */
  CHARGE_MAX_AGE_MS: z.coerce
    .number()
    .int()
    .min(DAY_MS)
    .max(90 * DAY_MS)
    .default(31 * DAY_MS),
});

export type Config = z.output<typeof configSchema>;

/** How long after its last heartbeat a dead session's credit is kept. */
export function keepDeadSessionMs(
  config: Pick<Config, 'SESSION_TTL_MS' | 'MAX_REQUEST_MS' | 'REPLAY_MARGIN_MS'>,
): number {
  return config.SESSION_TTL_MS + config.MAX_REQUEST_MS + config.REPLAY_MARGIN_MS;
}
