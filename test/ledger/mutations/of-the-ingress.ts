import { type Mutation, mutation } from './mutation.ts';

const CREDIT = 'services/ingress/src/credit';
const LEASE = `${CREDIT}/lease.ts`;

/** Faults of the ingress's side of the protocol. */
export const INGRESS_MUTATIONS: readonly Mutation[] = [
  mutation(
    'what is held is given back when credit is recalled or lies idle',
    [
      LEASE,
      'this.#granted - this.#returned - this.#charged - this.#held',
      'this.#granted - this.#returned - this.#charged',
    ],
    'system',
  ),
  mutation(
    'what is charged and not settled is free again',
    [
      LEASE,
      'this.#granted - this.#returned - this.#charged - this.#held',
      'this.#granted - this.#returned - this.#held',
    ],
    'system',
  ),
  mutation(
    'a recall is not answered with what lies idle',
    [`${CREDIT}/account-credit.ts`, '    if (!this.#context.streamUp()) return;\n    this.lease.returnFree();\n', ''],
    'system',
  ),
  mutation('what was returned is free again', [LEASE, '    this.#returned += free;\n', ''], 'system'),
  mutation(
    'a journal is not settled after a crash',
    [`${CREDIT}/replay.ts`, 'sender.sendAgain({ payload, segment, settled, setApart });', 'settled();'],
    'system',
    102,
  ),
  mutation(
    'a session goes on under another database, which may lack what was lent to it',
    [`${CREDIT}/session-keeper.ts`, "    this.#renew('the database behind the ledger has changed');\n", ''],
    'system',
    104,
  ),
  mutation(
    'what was acknowledged is not settled again after a failover',
    [`${CREDIT}/credit-desk.ts`, 'databaseChanged: () => this.#settleAgain(),', 'databaseChanged: () => undefined,'],
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
    'a session is closed before what another database lacks is settled again',
    [
      `${CREDIT}/credit-desk.ts`,
      'const releaseClosings = this.#keeper.holdClosings();',
      'const releaseClosings = () => undefined;',
    ],
    'hazards',
    103,
  ),
  mutation(
    'what a broken stream did not answer is not sent again',
    [
      `${CREDIT}/settle-sender.ts`,
      `    if (CONNECTION_STATUSES.has(code)) {
      this.#fresh.putBack(unanswered.flatMap(({ records }) => records));`,
      '    if (CONNECTION_STATUSES.has(code)) {',
    ],
    'system',
    105,
  ),
  mutation(
    'of batches that the ledger failed on the first is not sent again',
    [
      `${CREDIT}/settle-sender.ts`,
      'this.#fresh.putBack(failed.flatMap(({ records }) => records));',
      'this.#fresh.putBack(failed.slice(1).flatMap(({ records }) => records));',
    ],
    'hazards',
    101,
  ),
  mutation(
    'a stop leaves what is still to be read of the journal',
    [
      `${CREDIT}/credit-desk.ts`,
      'return this.#openHolds + unsettled + records + unread === 0 && this.#replay?.running !== true;',
      'return this.#openHolds + unsettled + records === 0;',
    ],
    'hazards',
    101,
  ),
  mutation(
    'holds are made by an ingress that was paused for too long',
    [
      `${CREDIT}/heartbeats.ts`,
      'this.#clock.wallMs() - this.#confirmed.wallMs < limit',
      'this.#clock.wallMs() - this.#confirmed.wallMs < limit * 1_000',
    ],
    'system',
    1008,
  ),
  mutation(
    'a request waits on for credit whose client has left',
    [`${CREDIT}/account-credit.ts`, "    request.signal.addEventListener('abort', aborted, { once: true });\n", ''],
    'hazards',
    101,
  ),
  mutation(
    'holds are made by an ingress whose clock differs from the database’s',
    [`${CREDIT}/session-keeper.ts`, "    if (this.#clockCheck.differs) return 'clock';\n", ''],
    'hazards',
  ),
  mutation(
    'a session that is retired keeps nothing for charges on their way',
    [LEASE, 'return this.#held + this.#unsettled;', 'return this.#held;'],
    'hazards',
    105,
  ),
];
