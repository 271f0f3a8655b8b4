import { FIRST_SEED, type Mutation, mutation } from './mutation.ts';

const LEDGER = 'services/ledger';
const COMMON = 'services/common';

/** Faults of the ledger itself. */
export const LEDGER_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a charge settled twice in one batch is posted twice',
    edits: [
      {
        folder: LEDGER,
        at: 'planSettlement',
        find: 'taken.set(accountId, requestId, record.contentHash);',
        replace: '',
      },
      // Otherwise the database refuses the second posting, and the charges of the batch are settled one by one.
      {
        folder: LEDGER,
        at: 'settleIsolating',
        find: 'if (!isDataError(error) || record === undefined) throw error;',
        replace: 'if (record !== undefined) throw error;',
      },
    ],
    histories: 'calls',
    seed: FIRST_SEED,
  },
  mutation(
    'an earlier charge is not recognized',
    [
      LEDGER,
      'planSettlement',
      'taken.get(accountId, requestId) ?? state.posted.get(accountId, requestId)',
      'taken.get(accountId, requestId)',
    ],
    'calls',
  ),
  mutation(
    'the same request with different content counts as a repetition',
    [LEDGER, 'planSettlement', 'if (known === record.contentHash)', 'if (known !== undefined)'],
    'calls',
  ),
  mutation(
    'a base cost that is not that of its lines is posted',
    [LEDGER, 'checkBaseCost', 'sum === (baseCostNanos ?? 0n)', 'true'],
    'calls',
  ),
  mutation(
    'the base cost of a charge is not stored',
    [LEDGER, 'insertCharges', 'writeAmount(record.charge.baseCostNanos);', 'writer.null();'],
    'calls',
  ),
  mutation(
    'the list rates of a charge are not stored',
    [LEDGER, 'linesText', 'listRateNanosPerMillion === undefined', 'listRateNanosPerMillion !== 0n'],
    'calls',
  ),
  mutation(
    'the same request with different tags counts as a repetition',
    [LEDGER, 'contentOf', "Buffer.from(tags ?? '')", "Buffer.from('')"],
    'calls',
  ),
  mutation(
    'a replay across the end of a month is not recognized',
    [
      LEDGER,
      'readPosted',
      'AND request_id BETWEEN $3 AND $4',
      "AND request_id BETWEEN $3 AND $4 AND started_at_ms >= extract(epoch FROM date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')) * 1000",
    ],
    'calls',
    101,
  ),
  {
    name: 'one bad row fails its whole batch',
    edits: [
      {
        folder: LEDGER,
        at: 'textProblem',
        find: "if (text.includes('\\0')) return",
        replace: "if (text === '\\0') return",
      },
      {
        folder: LEDGER,
        at: 'settleIsolating',
        find: 'if (!isDataError(error) || record === undefined) throw error;',
        replace: 'if (record !== undefined) throw error;',
      },
    ],
    histories: 'calls',
    seed: FIRST_SEED,
  },
  mutation(
    'a bad row is dropped silently',
    [LEDGER, 'post', 'if (plan.quarantined.length > 0) await', 'if (plan.quarantined.length < 0) await'],
    'calls',
  ),
  mutation(
    'a charge above its hold is taken from the customer in full',
    [LEDGER, 'planSettlement', 'minBigInt(charge.costNanos, charge.holdNanos)', 'charge.costNanos'],
    'calls',
  ),
  mutation(
    'a charge exceeds the remaining credit of its lease',
    [LEDGER, 'planSettlement', 'minBigInt(payable, credit)', 'payable'],
    'calls',
  ),
  mutation(
    'halves are rounded up instead of to even',
    [COMMON, 'divideHalfEven', 'return whole % 2n === 0n ? whole : whole + 1n;', 'return whole + 1n;'],
    'calls',
  ),
  mutation(
    'remainders just above a half are rounded down',
    [
      COMMON,
      'divideHalfEven',
      'if (twiceRest > divisor) return whole + 1n;',
      'if (twiceRest > divisor + divisor / 3n) return whole + 1n;',
    ],
    'calls',
  ),
  mutation(
    'credit is granted to a session that was fenced',
    [LEDGER, 'USABLE_SESSION', "WHERE session_id = $1 AND state = 'open' AND epoch", 'WHERE session_id = $1 AND epoch'],
    'calls',
  ),
  mutation(
    'a session from before a restore stays usable',
    [
      LEDGER,
      'USABLE_SESSION',
      "WHERE session_id = $1 AND state = 'open' AND epoch = (SELECT epoch FROM ledger.meta)",
      "WHERE session_id = $1 AND state = 'open'",
    ],
    'calls',
    101,
  ),
  mutation(
    'an ended session is reopened',
    [LEDGER, 'openSession', "WHERE s.state = 'open' AND s.epoch", 'WHERE s.epoch'],
    'calls',
  ),
  mutation(
    'a session that was closed before its opening is opened',
    [
      LEDGER,
      'fenceSession',
      "'close' FROM ledger.meta ON CONFLICT (session_id) DO NOTHING",
      "'close' FROM ledger.meta WHERE epoch < 0 ON CONFLICT (session_id) DO NOTHING",
    ],
    'calls',
  ),
  mutation(
    'an acquire that was granted is granted again',
    [LEDGER, 'readNeeded', 'need.grantedTotalNeeded - lease.granted', 'need.grantedTotalNeeded - lease.spent'],
    'calls',
  ),
  mutation(
    'a late acquire is granted after a newer one',
    [LEDGER, 'readNeeded', 'sequence < lease.acquireSequence', 'sequence < 0n'],
    'calls',
    4001,
  ),
  mutation(
    'more is granted than is available',
    [LEDGER, 'grantSize', 'if (available < need) return undefined;', 'if (available < need / 2n) return undefined;'],
    'calls',
    104,
  ),
  mutation(
    'credit is granted to an account that owes money',
    [LEDGER, 'amountOf', 'if (cap === undefined && suspended) return undefined;', ''],
    'calls',
    9000,
  ),
  mutation(
    'credit is refused without a recall of idle credit',
    [LEDGER, 'Recalls.begin', 'if (this.waitMs === 0 ||', 'if (this.waitMs >= 0 ||'],
    'system',
  ),
  mutation(
    'a recall reaches only ingresses of the same replica',
    [LEDGER, 'Recalls.#askAll', 'if (!this.#ask(run, session)) elsewhere.push(session);', 'this.#ask(run, session);'],
    'system',
  ),
  mutation(
    'a spending cap is granted beyond its limit',
    [LEDGER, 'amountOf', 'grantSize(need, room)', 'grantSize(need, cap === undefined ? room : room + need)'],
    'system',
    2000,
  ),
  mutation(
    'charges do not count against the caps of their key',
    [LEDGER, 'spendCaps', 'SET spent = c.spent + s.charged', 'SET spent = c.spent + s.charged - s.charged'],
    'system',
  ),
  mutation(
    'a return is handled as a difference, not as a total',
    [
      LEDGER,
      'returnCredit',
      'minBigInt(request.returnedTotal, unspent) - lease.returned',
      'minBigInt(request.returnedTotal, unspent - lease.returned)',
    ],
    'calls',
    102,
  ),
  mutation(
    'a lease is returned before what was charged under it is counted',
    [LEDGER, 'returnCredit', 'const unspent = lease.granted - lease.spent;', 'const unspent = lease.granted;'],
    'calls',
    103,
  ),
  mutation(
    'caps are granted although the balance is short',
    [LEDGER, 'acquireCredit', 'if (!refused) await grant', 'if (!refused || sized.length > 1) await grant'],
    'calls',
  ),
  mutation(
    'credit is granted although a cap is short',
    [
      LEDGER,
      'acquireCredit',
      'const refused = sized.some(({ amount }) => amount === undefined);',
      'const refused = sized[0]?.amount === undefined;',
    ],
    'calls',
  ),
  mutation(
    'a cap whose limit was lowered below what is spent and leased is not short',
    [LEDGER, 'amountOf', 'return room < 0n ? undefined : 0n;', 'return 0n;'],
    'calls',
  ),
  mutation(
    'an acquire older than the last grant of a cap is granted by the lease of the balance',
    [
      LEDGER,
      'readNeeded',
      'const isLate = sequence < lease.acquireSequence;',
      'const isLate = sequence < ofBalance.acquireSequence;',
    ],
    'calls',
    4009,
  ),
  mutation(
    'the need of a cap is counted against another one',
    [LEDGER, 'readNeeded', 'need.cap && byCap.get(need.cap)', 'need.cap && byCap.get(caps.at(-1) ?? need.cap)'],
    'calls',
  ),
  mutation(
    'caps are granted in another order than they are named',
    [LEDGER, 'grantCaps', 'grants.map(({ amount }) => amount)', 'grants.map(({ amount }) => amount).toReversed()'],
    'calls',
  ),
  mutation(
    "a session's leases are freed twice",
    [LEDGER, 'freeLeases', 'SET returned = l.returned + rest.amount', 'SET returned = l.returned + rest.amount / 2'],
    'calls',
  ),
  mutation(
    'a dead session expires before the longest request has ended',
    [LEDGER, 'keepDeadSessionMs', 'config.SESSION_TTL_MS + config.MAX_REQUEST_MS', 'config.SESSION_TTL_MS'],
    'calls',
  ),
  mutation(
    'the sweeper ends sessions right after an outage of the database',
    [LEDGER, 'tickSweeper', "THEN t.now + $2 * interval '1 millisecond'", "THEN t.now + $2 * interval '0 millisecond'"],
    'calls',
  ),
  mutation(
    'the hour of a request is rounded instead of truncated',
    [LEDGER, 'sumHours', 'startedAt - (startedAt % HOUR_MS)', 'Math.round(startedAt / HOUR_MS) * HOUR_MS'],
    'calls',
  ),
  mutation(
    'the hourly roll-up is not updated with the charges',
    [LEDGER, 'writesOf', "...layersOf(hours).map((layer) => addUsage('usage_hourly', layer)),", ''],
    'calls',
  ),
  mutation(
    'the loss of the operator is not posted',
    [
      LEDGER,
      'chargeBalances',
      'operator_loss = b.operator_loss - (d.cost - d.charged)',
      'operator_loss = b.operator_loss - (d.cost - d.cost)',
    ],
    'calls',
  ),
  mutation(
    'a repeated deposit with another amount counts as the same',
    [
      LEDGER,
      'depositInTransaction',
      'known.inputHash.equals(inputHash)',
      'known.inputHash.length === inputHash.length',
    ],
    'calls',
  ),
  mutation(
    'what a refused payment cannot take is forgiven',
    [LEDGER, 'splitDeposit', 'owed: shortfall, shortfall', 'owed: 0n, shortfall'],
    'calls',
    101,
  ),
  mutation(
    'a part of what was charged is attributed to lots again',
    [LEDGER, 'LotBook.#spend', 'this.#attributed += amount;', 'this.#attributed += amount / 2n;'],
    'calls',
  ),
  mutation(
    'the newest credit is spent first',
    [LEDGER, 'compareLots', 'compare(a.createdAtMs, b.createdAtMs)', 'compare(b.createdAtMs, a.createdAtMs)'],
    'calls',
  ),
  mutation(
    'credit that ends first is spent last',
    [
      LEDGER,
      'compareLots',
      'compare(a.endsAtMs ?? ENDLESS, b.endsAtMs ?? ENDLESS)',
      'compare(b.endsAtMs ?? ENDLESS, a.endsAtMs ?? ENDLESS)',
    ],
    'calls',
  ),
  mutation(
    'a refund takes credit of other payments',
    [LEDGER, 'takeFromLots', 'if (only && amount > left)', 'if (only && amount < left && left < 0n)'],
    'calls',
  ),
  mutation(
    'granted credit is refunded',
    [LEDGER, 'findCredit', "isRefund && kind !== undefined && kind !== 'paid'", 'isRefund && kind === undefined'],
    'calls',
  ),
  mutation(
    'a debt is paid without its lots',
    [LEDGER, 'payDebt', 'book.take(amount);', 'book.take(amount / 2n);'],
    'calls',
  ),
  mutation(
    'credit ends although open requests hold it',
    [LEDGER, 'dueStep', 'amount: remaining - leasedShare', 'amount: remaining - leasedShare / 2n'],
    'calls',
  ),
  mutation('leased credit keeps all lots that ended', [LEDGER, 'LotBook.leasedShares', 'left -= share;', ''], 'calls'),
  mutation(
    'a debt is left although credit ends that could pay it',
    [
      LEDGER,
      'endLotsOf',
      'const after = isEnding ? await payDebt',
      'const after = isEnding && leased < 0n ? await payDebt',
    ],
    'calls',
  ),
  mutation(
    'a full disk of the database counts as a fault of the charges',
    [LEDGER, 'isDataError', '/^2[23]...$/', '/^(2[23]|53)...$/'],
    'hazards',
    101,
  ),
  mutation(
    'a cap keeps its first limit',
    [
      LEDGER,
      'withLatestLimit',
      'if (known.exists && known.revision >= revision) return known;',
      'if (known.exists) return known;',
    ],
    'hazards',
  ),
];
