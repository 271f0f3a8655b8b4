import { type Mutation, mutation } from './mutation.ts';

const CREDIT = 'services/ingress/src/wallet/credit';
const LEASE = `${CREDIT}/lease.ts`;

/** Faults on the ingress's side of the lease protocol. */
export const INGRESS_MUTATIONS: readonly Mutation[] = [
  mutation(
    'held credit is returned when credit is recalled or idle',
    [
      LEASE,
      'this.#granted - this.#returned - this.#charged - this.#held',
      'this.#granted - this.#returned - this.#charged',
    ],
    'system',
  ),
  mutation(
    'charged and unsettled credit is free again',
    [
      LEASE,
      'this.#granted - this.#returned - this.#charged - this.#held',
      'this.#granted - this.#returned - this.#held',
    ],
    'system',
  ),
  mutation(
    'a recall does not return idle credit',
    [`${CREDIT}/account-credit.ts`, '    if (!this.#context.streamUp()) return;\n    this.lease.returnFree();\n', ''],
    'system',
  ),
  mutation('returned credit is free again', [LEASE, '    this.#returned += free;\n', ''], 'system'),
  mutation(
    'a journal is not settled after a crash',
    [`${CREDIT}/replay.ts`, 'sender.sendAgain({ ...charge, segment, settled, isolated });', 'settled();'],
    'system',
    102,
  ),
  mutation(
    'a session continues with another database, which may lack its leases',
    [`${CREDIT}/session-manager.ts`, `    this.#replaceSession("the ledger's database has changed");\n`, ''],
    'system',
    104,
  ),
  mutation(
    'acknowledged charges are not settled again after a failover',
    [`${CREDIT}/credit-manager.ts`, 'databaseChanged: () => this.#settleAgain(),', 'databaseChanged: () => undefined,'],
    'system',
    102,
  ),
  mutation(
    'a session is closed before its charges are settled',
    [`${CREDIT}/session.ts`, 'this.openHolds === 0 && this.unsettled === 0', 'this.openHolds === 0'],
    'system',
    501,
  ),
  mutation(
    'a session is closed while requests are open under it',
    [`${CREDIT}/session.ts`, 'this.openHolds === 0 && this.unsettled === 0', 'this.unsettled === 0'],
    'system',
    103,
  ),
  mutation(
    'a session is closed before charges that another database lacks are settled again',
    [
      `${CREDIT}/credit-manager.ts`,
      'const resumeClosing = this.#sessions.deferClosing();',
      'const resumeClosing = () => undefined;',
    ],
    'hazards',
    103,
  ),
  mutation(
    'charges that a broken stream did not acknowledge are not sent again',
    [
      `${CREDIT}/settle-sender.ts`,
      `    if (CONNECTION_STATUSES.has(code)) {
      this.#fresh.putBack(unacknowledged.flatMap(({ records }) => records));`,
      '    if (CONNECTION_STATUSES.has(code)) {',
    ],
    'system',
    105,
  ),
  mutation(
    'the first of several batches that the ledger failed on is not sent again',
    [
      `${CREDIT}/settle-sender.ts`,
      'this.#fresh.putBack(failed.flatMap(({ records }) => records));',
      'this.#fresh.putBack(failed.slice(1).flatMap(({ records }) => records));',
    ],
    'hazards',
    101,
  ),
  mutation(
    'a stop does not wait for unread segments of the journal',
    [
      `${CREDIT}/charge-pipeline.ts`,
      'return unsettled + records + unread === 0 && this.#replay?.running !== true;',
      'return unsettled + records === 0;',
    ],
    'hazards',
    101,
  ),
  mutation(
    'an ingress makes holds after a pause that is too long',
    [
      `${CREDIT}/heartbeats.ts`,
      'this.#clock.wallMs() - this.#confirmed.wallMs < limit',
      'this.#clock.wallMs() - this.#confirmed.wallMs < limit * 1_000',
    ],
    'system',
    1008,
  ),
  mutation(
    'a request keeps waiting for credit after its client has left',
    [`${CREDIT}/account-credit.ts`, "    request.signal.addEventListener('abort', aborted, { once: true });\n", ''],
    'hazards',
    101,
  ),
  mutation(
    'holds are made by an ingress whose clock differs from the database’s',
    [`${CREDIT}/session-manager.ts`, "    if (this.#clockCheck.differs) return 'clock';\n", ''],
    'hazards',
  ),
  mutation(
    'a retired session keeps no credit for unsettled charges',
    [LEASE, 'return this.#held + this.#unsettled;', 'return this.#held;'],
    'hazards',
    105,
  ),
];
