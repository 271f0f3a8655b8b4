import { RpcError } from '@tollgate/common/errors';
import { formatDollars } from '@tollgate/common/money';
import { type AppliedCap, type AppliedCaps, CapSetter } from '@tollgate/proto/auth';
import { CAP_FIELDS, type CapColumns, type CapsJson, capsOfJson } from './columns.ts';
import type { NodeKind } from './nodes.ts';
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

/** A node above with what it sets for what is below. */
export type DefaultSetter = Partial<DefaultColumns> & { kind: NodeKind | 'key' };

/** The defaults of a node as a statement selects them as JSON, in which amounts are texts, as JSON may round numbers. */
export type DefaultsJson = Omit<DefaultColumns, 'each_session_nanos'> & {
  kind: NodeKind;
  each_session_nanos: string | null;
};

/** The `DefaultsJson` of a row of auth.nodes. */
export function defaultsJson(alias: string): string {
  const columns = ['kind', 'each_key_caps', 'each_member_caps', 'each_service_account_caps'];
  return `jsonb_build_object(${columns.map((column) => `'${column}', ${alias}.${column}`).join(', ')},
    'each_session_nanos', ${alias}.each_session_nanos::text)`;
}

/** What a statement selected as `DefaultsJson`. */
export function defaultsOf({ each_session_nanos: each, ...json }: DefaultsJson): DefaultSetter {
  return { ...json, each_session_nanos: each === null ? null : BigInt(each) };
}

/** The column of the defaults for each kind of node below another one. */
const DEFAULTS_FOR = {
  key: 'each_key_caps',
  member: 'each_member_caps',
  service_account: 'each_service_account_caps',
} as const satisfies Record<string, keyof DefaultColumns>;

type BoundedKind = keyof typeof DEFAULTS_FOR;

const CAPS = Object.keys(CAP_FIELDS) as (keyof CapColumns)[];

const SETTERS: Readonly<Record<DefaultSetter['kind'], CapSetter>> = {
  project: CapSetter.PROJECT,
  service_account: CapSetter.OWNER,
  member: CapSetter.OWNER,
  key: CapSetter.PARENT_KEY,
};

/** What the nodes above set of one cap for each of a kind. */
function defaultsFor(kind: BoundedKind, cap: keyof CapColumns, above: readonly DefaultSetter[]): AppliedCap[] {
  return above.flatMap((node) => {
    const limitNanos = capsOfJson(node[DEFAULTS_FOR[kind]] ?? null)[cap];
    return limitNanos === null ? [] : [{ limitNanos, setBy: SETTERS[node.kind] }];
  });
}

/** A cap of a node or key below others: the least of its own and the defaults, or its own where it exceeds them. */
function capInForce(
  kind: BoundedKind,
  cap: keyof CapColumns,
  own: Bounded,
  above: readonly DefaultSetter[],
): AppliedCap | undefined {
  const ownCaps = ownCap(own[cap]);
  return leastOf(own.exceeds_defaults && ownCaps.length > 0 ? ownCaps : [...ownCaps, ...defaultsFor(kind, cap, above)]);
}

function ownCap(limitNanos: bigint | null): AppliedCap[] {
  return limitNanos === null ? [] : [{ limitNanos, setBy: CapSetter.OWN }];
}

/** The first one of the lowest: of equal caps, the one that is nearest to what they apply to comes first. */
function leastOf(caps: readonly AppliedCap[]): AppliedCap | undefined {
  return caps.reduce<AppliedCap | undefined>(
    (least, cap) => (least === undefined || cap.limitNanos < least.limitNanos ? cap : least),
    undefined,
  );
}

/** What a session of a key, or of the keys of a node, may spend. @param above with the keys above it */
function sessionInForce(
  own: Pick<DefaultColumns, 'each_session_nanos'>,
  above: readonly DefaultSetter[],
): AppliedCap | undefined {
  const defaults = above.flatMap(({ kind, each_session_nanos: limitNanos = null }) =>
    limitNanos === null ? [] : [{ limitNanos, setBy: SETTERS[kind] }],
  );
  return leastOf([...ownCap(own.each_session_nanos), ...defaults]);
}

/**
 * The caps in force of a node or key, and what set each.
 *
 * @param kind null: it has only its own, as a project and a derived key
 */
export function appliedCaps(
  kind: BoundedKind | null,
  own: Bounded & Pick<DefaultColumns, 'each_session_nanos'>,
  above: readonly DefaultSetter[],
): AppliedCaps {
  const cap = (column: keyof CapColumns) =>
    kind === null ? leastOf(ownCap(own[column])) : capInForce(kind, column, own, above);
  return {
    day: cap('day_cap_nanos'),
    week: cap('week_cap_nanos'),
    month: cap('month_cap_nanos'),
    total: cap('total_cap_nanos'),
    session: sessionInForce(own, above),
  };
}

/** The caps that apply to a node or key below others. */
function effectiveCaps(kind: BoundedKind, own: Bounded, above: readonly DefaultSetter[]): CapColumns {
  const effective = (cap: keyof CapColumns) => capInForce(kind, cap, own, above)?.limitNanos ?? null;
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
  above: readonly DefaultSetter[],
): void {
  if (exceeds) return;
  for (const cap of CAPS) {
    const [value, bound] = [given[cap] ?? null, leastOf(defaultsFor(kind, cap, above))];
    if (value === null || bound === undefined || value <= bound.limitNanos) continue;
    throw new RpcError(
      'invalid_argument',
      `${CAP_FIELDS[cap]}: more than the default above it, $${formatDollars(bound.limitNanos)}, which needs exceeds_defaults`,
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
    each_session_nanos: sessionInForce(key, nodes)?.limitNanos ?? null,
  };
}

function capsOf({ day_cap_nanos, week_cap_nanos, month_cap_nanos, total_cap_nanos }: CapColumns): CapColumns {
  return { day_cap_nanos, week_cap_nanos, month_cap_nanos, total_cap_nanos };
}
