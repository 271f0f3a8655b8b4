import type { CreditReleased, ReleaseCredit } from '@tollgate/proto/ledger';
import type { CreditSession } from './session.ts';

/** A release that is not confirmed for this long is sent again. */
const RESEND_MS = 5_000;

interface Release {
  keepNanos: bigint;
  sentAtMs: number;
  confirmed: boolean;
}

/**
 * What a session that makes no new holds still has of accounts and caps. All that its open holds and unacknowledged charges
 * do not need is released, again as they end, so that one long request does not keep the credit of all others.
 */
export class RetiredCredit {
  readonly #session: CreditSession;
  readonly #releases = new Map<string, Release>();

  constructor(session: CreditSession) {
    this.#session = session;
  }

  /** Forgets what was confirmed: another database may not know of it. */
  forget(): void {
    this.#releases.clear();
  }

  /** The releases to be sent now, `most` of them. */
  due(databaseId: string, nowMs: number, most: number): ReleaseCredit[] {
    const due: ReleaseCredit[] = [];
    for (const { accountId, cap, claimedNanos: keepNanos } of this.#session.claims()) {
      if (due.length === most) break;
      const release = { sessionId: this.#session.id, accountId, keepNanos, cap, databaseId };
      const name = nameOf(release);
      const last = this.#releases.get(name);
      const isDone = last?.keepNanos === keepNanos && (last.confirmed || nowMs - last.sentAtMs < RESEND_MS);
      if (isDone) continue;
      this.#releases.set(name, { keepNanos, sentAtMs: nowMs, confirmed: false });
      due.push(release);
    }
    return due;
  }

  confirmed(released: CreditReleased): void {
    const last = this.#releases.get(nameOf(released));
    if (last?.keepNanos === released.keepNanos) last.confirmed = true;
  }
}

function nameOf({ accountId, cap }: Pick<ReleaseCredit, 'accountId' | 'cap'>): string {
  return cap === undefined ? accountId : `${accountId}/${cap.keyId}/${cap.period}/${cap.periodStartMs}`;
}
