import { RpcError } from '@tollgate/common/errors';
import { formatDollars, minBigInt } from '@tollgate/common/money';
import { type CapColumns, type CapsJson, capsOfJson } from './columns.ts';
import type { LimitingNode, ResolvableKey } from './resolvable-keys.ts';

/** The columns of what a node sets for everything below it; null: nothing. */
export interface DefaultColumns {
  each_key_caps: CapsJson | null;
  each_member_caps: CapsJson | null;
  each_service_account_caps: CapsJson | null;
  /** Nano-dollars. */
  each_session_nanos: bigint | null;
}

/** A node or key with caps of its own. */
export interface Bounded extends CapColumns {
  /** Whether its own caps count instead of the defaults. */
  exceeds_defaults: boolean;
}

/** The column of the defaults for each kind of node below another one. */
const DEFAULTS_FOR = {
  key: 'each_key_caps',
  member: 'each_member_caps',
  service_account: 'each_service_account_caps',
} as const satisfies Record<string, keyof DefaultColumns>;

type BoundedKind = keyof typeof DEFAULTS_FOR;

/** The caps in JSON. */
const FIELDS = {
  day_cap_nanos: 'caps.day',
  week_cap_nanos: 'caps.week',
  month_cap_nanos: 'caps.month',
  total_cap_nanos: 'caps.total',
} as const satisfies Record<keyof CapColumns, string>;
const CAPS = Object.keys(FIELDS) as (keyof CapColumns)[];

/** The least of each cap that the nodes above set for each of a kind; null: none. */
function defaultsFor(kind: BoundedKind, above: readonly Partial<DefaultColumns>[]): CapColumns {
  const caps = above.map((node) => capsOfJson(node[DEFAULTS_FOR[kind]] ?? null));
  const least = (cap: keyof CapColumns) => leastOf(caps.map((each) => each[cap]));
  return {
    day_cap_nanos: least('day_cap_nanos'),
    week_cap_nanos: least('week_cap_nanos'),
    month_cap_nanos: least('month_cap_nanos'),
    total_cap_nanos: least('total_cap_nanos'),
  };
}

/** The caps that apply to a node or key below others: the least of its own and the defaults, or its own where it exceeds them. */
export function effectiveCaps(kind: BoundedKind, own: Bounded, above: readonly Partial<DefaultColumns>[]): CapColumns {
  const defaults = defaultsFor(kind, above);
  const effective = (cap: keyof CapColumns) =>
    own.exceeds_defaults ? (own[cap] ?? defaults[cap]) : leastOf([own[cap], defaults[cap]]);
  return {
    day_cap_nanos: effective('day_cap_nanos'),
    week_cap_nanos: effective('week_cap_nanos'),
    month_cap_nanos: effective('month_cap_nanos'),
    total_cap_nanos: effective('total_cap_nanos'),
  };
}

/** Refuses caps of a node or key that are more than the defaults above it, unless it exceeds them. */
export function requireWithinDefaults(
  kind: BoundedKind,
  given: Partial<CapColumns>,
  exceeds: boolean,
  above: readonly DefaultColumns[],
): void {
  if (exceeds) return;
  const defaults = defaultsFor(kind, above);
  for (const cap of CAPS) {
    const [value, bound] = [given[cap] ?? null, defaults[cap]];
    if (value === null || bound === null || value <= bound) continue;
    throw new RpcError(
      'invalid_argument',
      `${FIELDS[cap]}: more than the default above it, $${formatDollars(bound)}, which needs exceeds_defaults`,
    );
  }
}

/** What applies of the caps of a key and of the nodes above it, and the most that a session of it may spend; null: no maximum. */
export function applyDefaults(
  key: Pick<ResolvableKey, keyof Bounded | 'each_session_nanos'>,
  nodes: readonly LimitingNode[],
): Pick<ResolvableKey, keyof CapColumns | 'nodes' | 'each_session_nanos'> {
  const setters = nodes.filter(({ kind }) => kind !== 'key');
  const rootKey = nodes.find(({ kind }) => kind === 'key');
  const bounded = nodes.map((node): LimitingNode => {
    // Derived keys stay below the key at their root, to which the defaults apply.
    if (node.kind === 'project' || (node.kind === 'key' && node !== rootKey)) return node;
    const above = node.kind === 'key' ? setters : setters.filter(({ kind }) => kind === 'project');
    return { ...node, ...effectiveCaps(node.kind, node, above) };
  });
  return {
    ...(rootKey === undefined ? effectiveCaps('key', key, setters) : capsOf(key)),
    nodes: bounded,
    each_session_nanos: leastOf([...nodes, key].map((each) => each.each_session_nanos)),
  };
}

function capsOf({ day_cap_nanos, week_cap_nanos, month_cap_nanos, total_cap_nanos }: CapColumns): CapColumns {
  return { day_cap_nanos, week_cap_nanos, month_cap_nanos, total_cap_nanos };
}

function leastOf(amounts: readonly (bigint | null)[]): bigint | null {
  const known = amounts.filter((amount) => amount !== null);
  return known.length === 0 ? null : known.reduce(minBigInt);
}
