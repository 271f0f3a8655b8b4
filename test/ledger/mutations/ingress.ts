import { type Mutation, mutation } from './mutation.ts';

const INGRESS = 'services/ingress';

/** Faults on the ingress's side of the lease protocol. */
export const INGRESS_MUTATIONS: readonly Mutation[] = [
  mutation(
    'held credit is returned when credit is recalled or idle',
    [
      INGRESS,
      'Lease.freeNanos',
      'this.#granted - this.#returned - this.#charged - this.#held',
      'this.#granted - this.#returned - this.#charged',
    ],
    'system',
  ),
  mutation(
    'charged and unsettled credit is free again',
    [
      INGRESS,
      'Lease.freeNanos',
      'this.#granted - this.#returned - this.#charged - this.#held',
      'this.#granted - this.#returned - this.#held',
    ],
    'system',
  ),
  mutation(
    'a recall does not return idle credit',
    [INGRESS, 'AccountCredit.recalled', 'if (!this.#context.streamUp()) return true; lease.returnFree();', ''],
    'system',
  ),
  mutation('returned credit is free again', [INGRESS, 'Lease.returnFree', 'this.#returned += free;', ''], 'system'),
  mutation(
    'a journal is not settled after a crash',
    [INGRESS, 'Replay.#replay', 'sender.sendAgain({ ...charge, segment, settled, isolated });', 'settled();'],
    'system',
    102,
  ),
  mutation(
    'a session continues with another database, which may lack its leases',
    [INGRESS, 'SessionManager.#checkDatabase', `this.#replaceSession("the ledger's database has changed");`, ''],
    'system',
    104,
  ),
  mutation(
    'acknowledged charges are not settled again after a failover',
    [INGRESS, 'Wallet.constructor', 'databaseChanged: () => this.#settleAgain(),', 'databaseChanged: () => undefined,'],
    'system',
    102,
  ),
  mutation(
    'a session is closed before its charges are settled',
    [INGRESS, 'CreditSession.finished', 'this.openHolds === 0 && this.unsettled === 0', 'this.openHolds === 0'],
    'system',
    501,
  ),
  mutation(
    'a session is closed while requests are open under it',
    [INGRESS, 'CreditSession.finished', 'this.openHolds === 0 && this.unsettled === 0', 'this.unsettled === 0'],
    'system',
    103,
  ),
  mutation(
    'a session is closed before charges that another database lacks are settled again',
    [
      INGRESS,
      'Wallet.#settleAgain',
      'const resumeClosing = this.#sessions.deferClosing();',
      'const resumeClosing = () => undefined;',
    ],
    'hazards',
    103,
  ),
  mutation(
    'charges that a broken stream did not acknowledge are not sent again',
    [
      INGRESS,
      'SettleSender.#streamLost',
      'if (CONNECTION_STATUSES.has(code)) { this.#fresh.putBack(unacknowledged.flatMap(({ records }) => records));',
      'if (CONNECTION_STATUSES.has(code)) {',
    ],
    'system',
    105,
  ),
  mutation(
    'the first of several batches that the ledger failed on is not sent again',
    [
      INGRESS,
      'SettleSender.#isolate',
      'this.#fresh.putBack(failed.flatMap(({ records }) => records));',
      'this.#fresh.putBack(failed.slice(1).flatMap(({ records }) => records));',
    ],
    'hazards',
    101,
  ),
  mutation(
    'a stop does not wait for unread segments of the journal',
    [
      INGRESS,
      'ChargePipeline.isSettled',
      'return unsettled + records + unread === 0 && this.#replay?.running !== true;',
      'return unsettled + records === 0;',
    ],
    'hazards',
    101,
  ),
  mutation(
    'an ingress makes holds after a pause that is too long',
    [
      INGRESS,
      'Heartbeats.alive',
      'this.#clock.wallMs() - this.#confirmed.wallMs < limit',
      'this.#clock.wallMs() - this.#confirmed.wallMs < limit * 1_000',
    ],
    'system',
    1008,
  ),
  mutation(
    'a request keeps waiting for credit after its client has left',
    [INGRESS, 'Waiter.constructor', "request.signal.addEventListener('abort', this.#aborted, { once: true });", ''],
    'hazards',
    101,
  ),
  mutation(
    'holds are made by an ingress whose clock differs from the database’s',
    [INGRESS, 'SessionManager.unavailableReason', "if (this.#clockCheck.differs) return 'clock';", ''],
    'hazards',
  ),
  mutation(
    'a retired session keeps no credit for unsettled charges',
    [INGRESS, 'Lease.claimedNanos', 'return this.#held + this.#unsettled;', 'return this.#held;'],
    'hazards',
    105,
  ),
];
