import { type CapStanding, type CeilingPeriodLabel, periodEnd } from '@tollgate/common/cap-periods';
import type { LimitNode, NodeScope } from '@tollgate/common/keys/index';
import { CURRENCY, formatDollars } from '@tollgate/common/money';
import type { RefusingLimit } from '@tollgate/proto/ledger';
import type { LimitedSession } from '../request/request-context.ts';

/** What is known of a ceiling that a request must fit under; nano-dollars. */
export type CeilingStatus = BalanceStatus | CapStatus;

/** The account's balance, which has no window. */
export interface BalanceStatus {
  window: null;
  /** The balance. */
  leftNanos: bigint;
  /** What open requests, and ingresses for further ones, hold of it. */
  heldNanos: bigint;
}

/** A spending cap of a key, of a node above it, or of a session below it, in its current window. */
export interface CapStatus extends CapStanding {
  nodeId: string;
  window: CeilingPeriodLabel;
}

/** Who has the ceilings: a key, the nodes above it, and the session below it. */
export interface CeilingOwner {
  accountId: string;
  keyId: string;
  keyName: string;
  nodes: readonly Pick<LimitNode, 'scope' | 'nodeId' | 'name'>[];
  /** Undefined: the request is in none that has a limit. */
  session: LimitedSession | undefined;
}

/** A node whose caps a request must fit under. */
export interface CeilingNode {
  scope: 'key' | 'session' | NodeScope;
  id: string;
  /** Null where it may not be shown. */
  name: string | null;
}

/** Whether a key was made with another one. It may be in the hands of somebody who is to see nothing of what is above it. */
export function isDerived({ nodes }: Pick<CeilingOwner, 'nodes'>): boolean {
  return nodes.at(-1)?.scope === 'key';
}

/**
 * The node of a cap. A key speaks for its owner, so both see their caps; what a project may spend is not for all who have a key
 * of it. A derived key sees its own caps alone.
 */
export function nodeOf(nodeId: string, owner: CeilingOwner): CeilingNode {
  const { keyId, keyName, nodes, session } = owner;
  if (nodeId === session?.nodeId) return { scope: 'session', id: session.name, name: session.name };
  const node = nodes.find((each) => each.nodeId === nodeId);
  if (node === undefined) return { scope: 'key', id: keyId, name: keyName };
  return { scope: node.scope, id: nodeId, name: node.scope === 'project' || isDerived(owner) ? null : node.name };
}

/** The project of a key. */
export function projectOf({ accountId, nodes }: Pick<CeilingOwner, 'accountId' | 'nodes'>): string {
  // The default project has the account's id.
  return nodes.find(({ scope }) => scope === 'project')?.nodeId ?? accountId;
}

/** A cap that refused a request, for people of the account: unlike the holder of a key, they may know what is above it. */
export function refusingLimit({ nodeId, window }: CapStatus, owner: CeilingOwner): RefusingLimit {
  const { scope, id, name } = nodeOf(nodeId, owner);
  const above = owner.nodes.find((node) => node.nodeId === nodeId);
  const projectId = scope === 'key' || above === undefined ? '' : projectOf(owner);
  return { scope, id, name: above?.name ?? name ?? '', window, projectId };
}

/** When a cap starts again; RFC 3339. Null: never. */
export function resetsAt(cap: CapStatus): string | null {
  const end = periodEnd(cap.window, cap.startMs);
  return end === undefined ? null : new Date(end).toISOString();
}

/** The share of a cap that a further request could hold, 0 to 1. */
export function freeShare({ limitNanos, leftNanos, heldNanos }: CapStatus): number {
  return limitNanos === 0n ? 0 : Number(leftNanos - heldNanos) / Number(limitNanos);
}

/** A ceiling as errors and the billing API show it; without figures where the key may not see them. */
export function renderCeiling(ceiling: CeilingStatus, owner: CeilingOwner) {
  const { heldNanos } = ceiling;
  if (ceiling.window === null) {
    // A balance has no amount that it began with: what is in it is the amount, and nothing of that is spent.
    const figures = { amount: formatDollars(ceiling.leftNanos), spent: null, held: formatDollars(heldNanos) };
    const account = { scope: 'account', id: owner.accountId, name: null } as const;
    return shown(account, null, isDerived(owner) ? HIDDEN : figures, null);
  }
  const node = nodeOf(ceiling.nodeId, owner);
  const figures = {
    amount: formatDollars(ceiling.limitNanos),
    spent: formatDollars(ceiling.spentNanos),
    held: formatDollars(heldNanos),
  };
  return shown(node, ceiling.window, node.name === null ? HIDDEN : figures, resetsAt(ceiling));
}

interface Figures {
  amount: string | null;
  spent: string | null;
  held: string | null;
}

const HIDDEN: Figures = { amount: null, spent: null, held: null };

function shown(
  { scope, id, name }: Omit<CeilingNode, 'scope'> & { scope: CeilingNode['scope'] | 'account' },
  window: CeilingPeriodLabel | null,
  { amount, spent, held }: Figures,
  resets_at: string | null,
) {
  return { scope, id, name, window, amount, spent, held, resets_at, currency: CURRENCY };
}
