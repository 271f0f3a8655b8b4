import { BALANCE } from '@tollgate/common/cap-periods';
import type { CreditReleased, ReleaseCredit } from '@tollgate/proto/ledger';
import { ceilingKey } from './ceiling.ts';
import type { CreditSession } from './session.ts';

/** A release that is unconfirmed for this long is sent again. */
const RESEND_MS = 5_000;

interface Release {
  keepNanos: bigint;
  sentAtMs: number;
  confirmed: boolean;
}

/**
 * The credit of a session that was replaced. Everything that its open holds and unacknowledged charges do not need is
 * released, and more as they end, so that one long request does not keep the credit of all others.
 */
export class RetiredCredit {
  readonly #session: CreditSession;
  readonly #releases = new Map<string, Release>();

  constructor(session: CreditSession) {
    this.#session = session;
  }

  /** Drops all confirmations: another database may not know them. */
  reset(): void {
    this.#releases.clear();
  }

  /** The releases to send now, at most `max`. */
  due(databaseId: string, nowMs: number, max: number): ReleaseCredit[] {
    const due: ReleaseCredit[] = [];
    for (const { accountId, ceiling, claimedNanos: keepNanos } of this.#session.claims()) {
      if (due.length === max) break;
      const release = { sessionId: this.#session.id, accountId, ceiling, keepNanos, databaseId };
      const key = releaseKey(release);
      const last = this.#releases.get(key);
      const isDone = last?.keepNanos === keepNanos && (last.confirmed || nowMs - last.sentAtMs < RESEND_MS);
      if (isDone) continue;
      this.#releases.set(key, { keepNanos, sentAtMs: nowMs, confirmed: false });
      due.push(release);
    }
    return due;
  }

  confirmed(released: CreditReleased): void {
    const last = this.#releases.get(releaseKey(released));
    if (last?.keepNanos === released.keepNanos) last.confirmed = true;
  }
}

function releaseKey({ accountId, ceiling = BALANCE }: Pick<ReleaseCredit, 'accountId' | 'ceiling'>): string {
  return `${accountId}/${ceilingKey(ceiling)}`;
}
