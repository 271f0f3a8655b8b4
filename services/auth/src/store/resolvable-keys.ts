import type { PriceRule } from '@tollgate/common/billing/price-rules';
import type { Queryable } from '@tollgate/common/postgres/pool';
import { ABOVE_KEYS, type AboveKey, type AboveKeyJson, aboveKeyOf, tagsBelow } from './above-keys.ts';
import type { CapsJson, LimitColumns } from './columns.ts';
import { applyDefaults, type Bounded, type DefaultColumns } from './defaults.ts';
import type { GrantsJson } from './grants.ts';
import { IS_ABOVE, PROJECT_ID } from './key-place.ts';
import { DEFAULT_PROJECT, IS_OFF, type NodeKind } from './nodes.ts';

/** A key with the fields of its account and of what is above it that resolving needs. Its caps and the nodes' are the effective ones. */
export interface ResolvableKey extends Bounded, LimitColumns {
  key_id: string;
  name: string;
  account_id: string;
  tag: string;
  allowed_models: string[];
  /** When this value of the key expires: with the key or a node above it, or at the end of the overlap after a rotation. */
  expires_at: Date | null;
  deleted: boolean;
  /** By the database's clock. */
  expired: boolean;
  suspended: boolean;
  /** Whether a node above it is switched off, has ended or is deleted. */
  off: boolean;
  revision: bigint;
  tags: Record<string, string>;
  discount_ppm: number;
  price_rules: PriceRule[];
  account_revision: bigint;
  account_requests_per_minute: bigint | null;
  account_tokens_per_minute: bigint | null;
  account_open_requests: number | null;
  /** The most that a session of it may spend, nano-dollars; null: no maximum. */
  each_session_nanos: bigint | null;
  /** Null: none. */
  grants: GrantsJson | null;
  /** The project, the owner if there is one, and the keys above it. */
  nodes: LimitingNode[];
}

/** A node above a key. */
export interface LimitingNode extends Bounded, LimitColumns, Partial<Omit<DefaultColumns, 'each_session_nanos'>> {
  node_id: string;
  kind: NodeKind | 'key';
  name: string;
  allowed_models: string[];
  revision: bigint;
  each_session_nanos: bigint | null;
  grants: GrantsJson | null;
}

/** A key with one node above it, or with none. */
interface Row extends Omit<ResolvableKey, 'nodes' | 'off'> {
  project_id: string;
  above: AboveKeyJson[] | null;
  node_id: string | null;
  node_kind: NodeKind;
  node_name: string;
  node_allowed_models: string[];
  node_day_cap_nanos: bigint | null;
  node_week_cap_nanos: bigint | null;
  node_month_cap_nanos: bigint | null;
  node_total_cap_nanos: bigint | null;
  node_requests_per_minute: bigint | null;
  node_tokens_per_minute: bigint | null;
  node_open_requests: number | null;
  node_each_key_caps: CapsJson | null;
  node_each_member_caps: CapsJson | null;
  node_each_service_account_caps: CapsJson | null;
  node_each_session_nanos: bigint | null;
  node_exceeds_defaults: boolean;
  node_grants: GrantsJson | null;
  node_revision: bigint;
  node_expires_at: Date | null;
  node_off: boolean;
}

/**
 * Finds a key by the SHA-256 of its value, or of the one before its last rotation. In one statement, so that what is above it
 * is of the revision of the account.
 */
export async function findKeyBySha256(db: Queryable, sha256: Buffer): Promise<ResolvableKey | undefined> {
  const { rows } = await db.query<Row>({
    name: 'find-key-by-sha256',
    text: `SELECT k.key_id, k.name, k.account_id, a.tag, k.allowed_models, v.expires_at, k.revision,
                  k.day_cap_nanos, k.week_cap_nanos, k.month_cap_nanos, k.total_cap_nanos,
                  k.requests_per_minute, k.tokens_per_minute, k.open_requests, k.tags,
                  k.each_session_nanos, k.exceeds_defaults, k.grants,
                  k.deleted_at IS NOT NULL AS deleted,
                  v.expires_at IS NOT NULL AND v.expires_at <= clock_timestamp() AS expired,
                  a.status = 'suspended' AS suspended, a.discount_ppm, a.price_rules,
                  a.revision AS account_revision,
                  a.requests_per_minute AS account_requests_per_minute,
                  a.tokens_per_minute AS account_tokens_per_minute,
                  a.open_requests AS account_open_requests,
                  ${PROJECT_ID} AS project_id, ${ABOVE_KEYS} AS above,
                  n.node_id, n.kind AS node_kind, n.name AS node_name, n.allowed_models AS node_allowed_models,
                  n.day_cap_nanos AS node_day_cap_nanos, n.week_cap_nanos AS node_week_cap_nanos,
                  n.month_cap_nanos AS node_month_cap_nanos, n.total_cap_nanos AS node_total_cap_nanos,
                  n.requests_per_minute AS node_requests_per_minute, n.tokens_per_minute AS node_tokens_per_minute,
                  n.open_requests AS node_open_requests, n.revision AS node_revision, n.expires_at AS node_expires_at,
                  n.each_key_caps AS node_each_key_caps, n.each_member_caps AS node_each_member_caps,
                  n.each_service_account_caps AS node_each_service_account_caps,
                  n.each_session_nanos AS node_each_session_nanos, n.exceeds_defaults AS node_exceeds_defaults,
                  n.grants AS node_grants,
                  ${IS_OFF} AS node_off
           FROM auth.keys k
           JOIN auth.accounts a USING (account_id)
           CROSS JOIN LATERAL (
             SELECT CASE WHEN k.key_sha256 = $1 THEN k.expires_at ELSE least(k.expires_at, k.previous_until) END
           ) v (expires_at)
           -- OFFSET 0: planned by itself, so that an index finds them; else all nodes of the account are read.
           LEFT JOIN LATERAL (SELECT n.* FROM auth.nodes n WHERE ${IS_ABOVE} OFFSET 0) n ON true
           WHERE k.key_sha256 = $1 OR k.previous_sha256 = $1
           ORDER BY k.key_id, n.parent_id NULLS FIRST`,
    values: [sha256],
  });
  const [first] = rows;
  if (first === undefined) return undefined;
  const above = rows.filter((row) => row.key_id === first.key_id);
  const keys: AboveKey[] = (first.above ?? []).map(aboveKeyOf);
  const ends = [...above.map((row) => row.node_expires_at), ...keys.map((key) => key.expires_at)];
  return {
    ...first,
    expires_at: earliest([first.expires_at, ...ends]),
    off: above.some((row) => row.node_off) || keys.some((key) => key.has_ended),
    tags: tagsBelow(keys, first.tags),
    ...applyDefaults(first, [...nodesOf(above, first.project_id), ...keys]),
  };
}

/** An account that a service of the previous release made may have no project yet: it is one without limits. */
function nodesOf(rows: readonly Row[], projectId: string): LimitingNode[] {
  const nodes = rows.flatMap((row) => (row.node_id === null ? [] : [nodeOf(row, row.node_id)]));
  return nodes[0]?.kind === 'project' ? nodes : [{ ...UNLIMITED, node_id: projectId }, ...nodes];
}

function nodeOf(row: Row, nodeId: string): LimitingNode {
  return {
    node_id: nodeId,
    kind: row.node_kind,
    name: row.node_name,
    allowed_models: row.node_allowed_models,
    day_cap_nanos: row.node_day_cap_nanos,
    week_cap_nanos: row.node_week_cap_nanos,
    month_cap_nanos: row.node_month_cap_nanos,
    total_cap_nanos: row.node_total_cap_nanos,
    requests_per_minute: row.node_requests_per_minute,
    tokens_per_minute: row.node_tokens_per_minute,
    open_requests: row.node_open_requests,
    each_key_caps: row.node_each_key_caps,
    each_member_caps: row.node_each_member_caps,
    each_service_account_caps: row.node_each_service_account_caps,
    each_session_nanos: row.node_each_session_nanos,
    exceeds_defaults: row.node_exceeds_defaults,
    grants: row.node_grants,
    revision: row.node_revision,
  };
}

const UNLIMITED: Omit<LimitingNode, 'node_id'> = {
  kind: 'project',
  name: DEFAULT_PROJECT,
  allowed_models: [],
  day_cap_nanos: null,
  week_cap_nanos: null,
  month_cap_nanos: null,
  total_cap_nanos: null,
  requests_per_minute: null,
  tokens_per_minute: null,
  open_requests: null,
  each_session_nanos: null,
  exceeds_defaults: false,
  grants: null,
  revision: 1n,
};

function earliest(times: readonly (Date | null)[]): Date | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : new Date(Math.min(...known.map((time) => time.getTime())));
}
