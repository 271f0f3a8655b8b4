import { FIRST_SEED, type Mutation, mutation, type TestedMutation } from './mutation.ts';

const COMMON = 'services/common';
const LEDGER = 'services/ledger';
const INGRESS = 'services/ingress';
const SESSION_LIMIT = `${INGRESS}/src/edge/limits/session-limit`;

/** A fault that random histories of calls notice. */
const inCalls = (name: string, at: string, find: string, replace: string, seed = FIRST_SEED): Mutation =>
  mutation(name, [LEDGER, at, find, replace], 'calls', seed);

/** Faults of what counts towards nodes above keys, such as projects. */
export const NODE_MUTATIONS: readonly Mutation[] = [
  inCalls(
    'a charge does not count towards the caps of its project',
    'sumCaps',
    'pathOf(charge, charge.caps)',
    'pathOf(charge, charge.caps).slice(-1)',
  ),
  inCalls(
    'a charge counts towards the caps of its project, and not of its owner',
    'nodesOf',
    'of pathOf(charge))',
    'of pathOf(charge).filter((_, at, path) => at !== 1 || at === path.length - 1))',
  ),
  inCalls(
    'a charge counts twice towards the caps of its project',
    'sumCaps',
    'pathOf(charge, charge.caps)',
    '[...charge.nodes, ...pathOf(charge, charge.caps)]',
  ),
  inCalls(
    'a charge is taken from the lease of a project if it was held under the cap of its key',
    'sumCaps',
    'node.caps.includes(',
    'charge.caps.includes(',
  ),
  inCalls(
    'a cap of a project begins with nothing spent',
    'writeCap',
    'WHERE account_id = $1 AND node_id = $2 AND day_ms >= $4',
    'WHERE account_id = $1 AND node_id = $2 AND day_ms < 0 AND day_ms >= $4',
  ),
  inCalls(
    'a charge counts for its project on the day before or after',
    'sumNodes',
    'const dayMs = dayOf(record.charge);',
    'const dayMs = Math.round(Number(record.charge.startedAtMs) / DAY_MS) * DAY_MS;',
  ),
  inCalls(
    'only the last batch of a day counts for a project',
    'addNodeUsage',
    'SET charged_nanos = u.charged_nanos + excluded.charged_nanos',
    'SET charged_nanos = excluded.charged_nanos',
  ),
  inCalls(
    'only one charge of a batch counts for a project',
    'sumNodes',
    'sum.chargedNanos += chargedNanos;',
    'sum.chargedNanos = chargedNanos;',
  ),
  inCalls(
    'credit is granted although the cap of a project is short',
    'acquireCredit',
    'const refused = sized.some(({ amount }) => amount === undefined);',
    'const refused = sized[0]?.amount === undefined || sized.at(-1)?.amount === undefined;',
  ),
  inCalls('a charge forgets its nodes', 'insertCharges', 'nodes.length === 0', 'record !== undefined'),
  inCalls('a key counts as a node above itself', 'checkNodes', 'if (nodeId === keyId)', "if (nodeId === '')"),
  inCalls(
    'a charge does not count towards its session',
    'sumCaps',
    'cap.startMs !== periodStart',
    "cap.period === 'session' || cap.startMs !== periodStart",
  ),
  inCalls('a session counts as a node above its key', 'countedNodes', 'scope !== SESSION_SCOPE', "scope !== ''"),
  inCalls('a session that is opened has a part of its limit spent', 'openSessionCeiling', '$4, 0, $5)', '$4, 1, $5)'),
  inCalls(
    'the limit of a session stays as it began',
    'withLatestLimit',
    'if (known.exists && known.revision >= revision)',
    'if (known.exists && (isSession || known.revision >= revision))',
  ),
];

/** Faults that tests notice: of events, recalls and reconciliation, which histories of calls do not look at. */
export const TESTED_NODE_MUTATIONS: readonly TestedMutation[] = [
  {
    name: 'keys share sessions of one name',
    test: `${SESSION_LIMIT}.test.ts`,
    edits: [
      {
        folder: COMMON,
        at: 'sessionNodeId',
        find: 'keyId: string, name: string',
        replace: "_: string, name: string, keyId = ''",
      },
    ],
  },
  {
    name: 'a header raises the limit of a session',
    test: `${SESSION_LIMIT}.test.ts`,
    edits: [
      { folder: INGRESS, at: 'limitedSession', find: 'minBigInt(asked, sessionNanos ?? asked)', replace: 'asked' },
    ],
  },
  {
    name: 'the highest limit of a session counts',
    test: `${SESSION_LIMIT}.test.ts`,
    edits: [{ folder: INGRESS, at: 'limitedSession', find: 'SESSION_REVISION - limitNanos', replace: 'limitNanos' }],
  },
  {
    name: 'a header undoes what a session was granted',
    test: `${SESSION_LIMIT}.test.ts`,
    edits: [
      {
        folder: INGRESS,
        at: 'limitedSession',
        find: 'revision: granted.revision',
        replace: 'revision: SESSION_REVISION - granted.limitNanos',
      },
    ],
  },
  {
    name: 'what is granted for a window stays in the next one',
    test: `${INGRESS}/src/wallet/credit/ceiling.test.ts`,
    edits: [{ folder: COMMON, at: 'limitInWindow', find: ' && grant.periodStartMs === startMs', replace: '' }],
  },
  {
    name: 'a grant lowers the cap of its window',
    test: `${INGRESS}/src/wallet/credit/ceiling.test.ts`,
    edits: [{ folder: COMMON, at: 'limitInWindow', find: ' && grant.limitNanos > limit', replace: '' }],
  },
  {
    name: 'the cap of a project is not recalled',
    test: `${LEDGER}/src/handlers/lease/ceilings.db.test.ts`,
    edits: [
      {
        folder: LEDGER,
        at: 'recallable',
        find: 'if (need === undefined || !ceiling.short) continue;',
        replace: 'if (need === undefined || !ceiling.short || place === 1) continue;',
      },
    ],
  },
  {
    name: 'requests that the cap of a project refuses are no event',
    test: `${LEDGER}/src/events/cap-alerts.db.test.ts`,
    edits: [{ folder: LEDGER, at: 'alertRefusingCaps', find: 'pathOf(refusal)', replace: 'pathOf(refusal).slice(-1)' }],
  },
  {
    name: 'days of projects are reconciled with a part of their charges',
    test: `${LEDGER}/src/reconcile/reconcile.db.test.ts`,
    edits: [{ folder: LEDGER, at: 'checkCharges', find: '(wholeDays ? DAY_MS : 0)', replace: '0' }],
  },
];
