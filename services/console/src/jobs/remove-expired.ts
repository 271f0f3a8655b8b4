import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { deleteOldAlertMails } from '../store/alert-mails.ts';
import { deleteOldAttempts } from '../store/attempts.ts';
import { deleteExpiredDevices } from '../store/device-authorizations.ts';
import { deleteExpiredOidcFlows } from '../store/oidc-flows.ts';
import { deleteOldBillDays } from '../store/provider-bills.ts';
import { deleteEndedSessions } from '../store/sessions.ts';

const INTERVAL_MS = 10 * 60_000;
/** Rows of one statement. */
const BATCH = 1_000;

/** Removes ended sessions and e-mails, old sign-in attempts and bills, and sign-ins that never came back from their provider or were not confirmed. @returns stops it */
export function startRemovingExpired({ pool, logger }: { pool: Pool; logger: Logger }): () => void {
  const remove = () => {
    Promise.all([
      deleteEndedSessions(pool, BATCH),
      deleteOldAttempts(pool, BATCH),
      deleteExpiredOidcFlows(pool, BATCH),
      deleteExpiredDevices(pool, BATCH),
      deleteOldAlertMails(pool, BATCH),
      deleteOldBillDays(pool, BATCH),
    ]).catch((error: unknown) => logger.warn({ err: error }, 'expired rows could not be removed'));
  };
  const timer = setInterval(remove, INTERVAL_MS);
  return () => clearInterval(timer);
}
