import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import type { NodeSettings } from '@tollgate/proto/auth';
import { capColumns, capsJson, jsonOf, type LimitColumns, limitColumns, NEXT_REVISION, timeOf } from './columns.ts';
import { type Bounded, type DefaultColumns, type DefaultsJson, defaultsJson } from './defaults.ts';
import type { GrantsJson } from './grants.ts';

/** The name of an account's project that is there from the beginning. */
export const DEFAULT_PROJECT = 'default';

export type NodeKind = 'project' | 'service_account' | 'member';

/** What of a node can be changed. */
export interface NodeAttributes extends Bounded, LimitColumns, DefaultColumns {
  name: string;
  allowed_models: string[];
  expires_at: Date | null;
  /** Null: it is switched on. */
  disabled_at: Date | null;
  /** Higher limits in windows; null: none. */
  grants: GrantsJson | null;
}

/** A row of auth.nodes, with the name of its project. */
export interface NodeRow extends NodeAttributes {
  account_id: string;
  node_id: string;
  /** Null for a project. */
  parent_id: string | null;
  /** Null for a project. */
  parent_name: string | null;
  /** What its project sets for it. Null for a project. */
  parent_defaults: DefaultsJson | null;
  kind: NodeKind;
  /** Null unless it is a member. */
  person_id: string | null;
  deleted_at: Date | null;
  revision: bigint;
  created_at: Date;
  /** Null: an operator at the command line, or nobody. */
  created_by_id: string | null;
  created_by_name: string;
}

/** Columns of a node, in the shape of `NodeRow`, of auth.nodes as `n`. */
export const NODE_COLUMNS = `n.account_id, n.node_id, n.parent_id, n.kind, n.person_id, n.name, n.allowed_models, n.day_cap_nanos,
  n.week_cap_nanos, n.month_cap_nanos, n.total_cap_nanos, n.requests_per_minute, n.tokens_per_minute, n.open_requests,
  n.expires_at, n.disabled_at, n.each_key_caps, n.each_member_caps, n.each_service_account_caps, n.each_session_nanos,
  n.exceeds_defaults, n.grants, n.deleted_at, n.revision, n.created_at, n.created_by_id, n.created_by_name,
  (SELECT p.name FROM auth.nodes p WHERE p.account_id = n.account_id AND p.node_id = n.parent_id) AS parent_name,
  (SELECT ${defaultsJson('p')} FROM auth.nodes p WHERE p.account_id = n.account_id AND p.node_id = n.parent_id)
    AS parent_defaults`;

/** The condition that what is below a node is refused, of auth.nodes as `n`. */
export const IS_OFF = `(n.deleted_at IS NOT NULL OR n.disabled_at IS NOT NULL
  OR (n.expires_at IS NOT NULL AND n.expires_at <= clock_timestamp()))`;

/** The attributes that settings set, as columns. Absent ones are left out. */
export function settingsIn(settings: NodeSettings | undefined): Partial<NodeAttributes> {
  if (settings === undefined) return {};
  const { enabled, expiresAtMs, allowedModels, caps, limits } = settings;
  const { eachKey, eachMember, eachServiceAccount, eachSessionNanos, exceedsDefaults } = settings;
  return {
    ...(enabled === undefined ? {} : { disabled_at: enabled ? null : new Date() }),
    ...(expiresAtMs === undefined ? {} : { expires_at: timeOf(expiresAtMs) }),
    ...(allowedModels === undefined ? {} : { allowed_models: allowedModels.ids }),
    ...(caps === undefined ? {} : capColumns(caps)),
    ...(limits === undefined ? {} : limitColumns(limits)),
    ...(eachKey === undefined ? {} : { each_key_caps: capsJson(eachKey) }),
    ...(eachMember === undefined ? {} : { each_member_caps: capsJson(eachMember) }),
    ...(eachServiceAccount === undefined ? {} : { each_service_account_caps: capsJson(eachServiceAccount) }),
    ...(eachSessionNanos === undefined ? {} : { each_session_nanos: eachSessionNanos || null }),
    ...(exceedsDefaults === undefined ? {} : { exceeds_defaults: exceedsDefaults }),
  };
}

/** The attributes that a change of a project or service account sets, as columns. Absent ones are left out. */
export function attributesOf({
  name,
  settings,
}: {
  name?: string | undefined;
  settings: NodeSettings | undefined;
}): Partial<NodeAttributes> {
  return { ...(name === undefined ? {} : { name }), ...settingsIn(settings) };
}

/** The attributes of a new node. */
export function newNodeAttributes(name: string, settings: NodeSettings | undefined): NodeAttributes {
  return {
    name,
    allowed_models: [],
    expires_at: null,
    disabled_at: null,
    ...capColumns(undefined),
    ...limitColumns(undefined),
    each_key_caps: null,
    each_member_caps: null,
    each_service_account_caps: null,
    each_session_nanos: null,
    exceeds_defaults: false,
    grants: null,
    ...settingsIn(settings),
  };
}

/** The values of the attributes' columns, in the order of the statements below. */
function attributeValues(node: NodeAttributes): unknown[] {
  return [
    node.name,
    node.allowed_models,
    node.expires_at,
    node.disabled_at,
    node.day_cap_nanos,
    node.week_cap_nanos,
    node.month_cap_nanos,
    node.total_cap_nanos,
    node.requests_per_minute,
    node.tokens_per_minute,
    node.open_requests,
    node.each_key_caps,
    node.each_member_caps,
    node.each_service_account_caps,
    node.each_session_nanos,
    node.exceeds_defaults,
    jsonOf(node.grants),
  ];
}

export interface NodeToInsert extends NodeAttributes {
  accountId: string;
  nodeId: string;
  /** Undefined for a project. */
  parentId: string | undefined;
  kind: NodeKind;
  /** Of a member. */
  personId: string | undefined;
  /** Who created it; an empty id for an operator at the command line. */
  createdBy: { id: string; name: string };
}

/** Inserts a node of a locked account. Undefined: another one beside it has the name. */
export async function insertNode(db: Queryable, node: NodeToInsert): Promise<NodeRow | undefined> {
  const { rows } = await db.query<NodeRow>(
    `INSERT INTO auth.nodes AS n
       (account_id, node_id, parent_id, kind, person_id, created_by_id, created_by_name, name, allowed_models, expires_at,
        disabled_at, day_cap_nanos, week_cap_nanos, month_cap_nanos, total_cap_nanos, requests_per_minute,
        tokens_per_minute, open_requests, each_key_caps, each_member_caps, each_service_account_caps, each_session_nanos,
        exceeds_defaults, grants)
     VALUES ($1, $2, $3, $4, $5, nullif($6, '')::uuid, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
             $22, $23, $24)
     ON CONFLICT DO NOTHING
     RETURNING ${NODE_COLUMNS}`,
    [
      node.accountId,
      node.nodeId,
      node.parentId,
      node.kind,
      node.personId,
      node.createdBy.id,
      node.createdBy.name,
      ...attributeValues(node),
    ],
  );
  return rows[0];
}

/** Inserts the project `default` of an account that has none, as a new one and those that the previous release makes. */
export async function ensureDefaultProject(db: Queryable, accountId: string): Promise<void> {
  await db.query(
    `INSERT INTO auth.nodes (account_id, node_id, kind, name, created_at)
     SELECT account_id, account_id, 'project', $2, created_at FROM auth.accounts WHERE account_id = $1
     ON CONFLICT DO NOTHING`,
    [accountId, DEFAULT_PROJECT],
  );
}

/** Finds a node of an account, a deleted one too. */
export async function findNode(db: Queryable, accountId: string, nodeId: string): Promise<NodeRow | undefined> {
  const { rows } = await db.query<NodeRow>(
    `SELECT ${NODE_COLUMNS} FROM auth.nodes n WHERE n.account_id = $1 AND n.node_id = $2`,
    [accountId, nodeId],
  );
  return rows[0];
}

/** Finds a person as a member of a project. */
export async function findMemberNode(
  db: Queryable,
  { accountId, projectId, personId }: { accountId: string; projectId: string; personId: string },
): Promise<NodeRow | undefined> {
  const { rows } = await db.query<NodeRow>(
    `SELECT ${NODE_COLUMNS} FROM auth.nodes n
     WHERE n.account_id = $1 AND n.parent_id = $2 AND n.person_id = $3 AND n.kind = 'member'`,
    [accountId, projectId, personId],
  );
  return rows[0];
}

/** Which nodes are listed. */
export interface NodeList {
  accountId: string;
  /** Undefined: projects are listed. */
  projectId: string | undefined;
  kind: NodeKind;
  /** Only these; undefined: all. */
  nodeIds?: readonly string[] | undefined;
}

/** Nodes of one kind below a project, or projects, in order of creation, without deleted ones. */
export async function listNodes(
  db: Queryable,
  { accountId, projectId, kind, nodeIds }: NodeList,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<NodeRow[]> {
  const { rows } = await db.query<NodeRow>(
    `SELECT ${NODE_COLUMNS} FROM auth.nodes n
     WHERE n.account_id = $1 AND n.kind = $2 AND n.node_id > coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
       AND ${projectId === undefined ? '$5::uuid IS NULL' : 'n.parent_id = $5'} AND n.deleted_at IS NULL
       AND ($6::uuid[] IS NULL OR n.node_id = ANY ($6))
     ORDER BY n.node_id LIMIT $4`,
    [accountId, kind, after, limit, projectId, nodeIds],
  );
  return rows;
}

/** How many projects and nodes of all kinds a locked account has that are not deleted. */
export async function countNodes(db: Queryable, accountId: string): Promise<{ projects: number; nodes: number }> {
  const { rows } = await db.query<{ projects: number; nodes: number }>(
    `SELECT count(*)::int AS nodes, count(*) FILTER (WHERE kind = 'project')::int AS projects
     FROM auth.nodes WHERE account_id = $1 AND deleted_at IS NULL`,
    [accountId],
  );
  return onlyRow(rows, 'a count returned no row');
}

/** Whether another node beside this one of a locked account has a name. */
export async function isNameTaken(db: Queryable, node: NodeRow, name: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM auth.nodes n
     WHERE n.account_id = $1 AND n.parent_id IS NOT DISTINCT FROM $2 AND n.name = $3 AND n.node_id <> $4
       AND n.kind <> 'member' AND n.deleted_at IS NULL`,
    [node.account_id, node.parent_id, name, node.node_id],
  );
  return rowCount !== 0;
}

/** Writes the attributes of a node of a locked account, under a new revision. */
export async function writeNode(db: Queryable, node: NodeRow): Promise<NodeRow> {
  const { rows } = await db.query<NodeRow>(
    `UPDATE auth.nodes n
     SET name = $3, allowed_models = $4, expires_at = $5, disabled_at = $6, day_cap_nanos = $7, week_cap_nanos = $8,
         month_cap_nanos = $9, total_cap_nanos = $10, requests_per_minute = $11, tokens_per_minute = $12,
         open_requests = $13, each_key_caps = $14, each_member_caps = $15, each_service_account_caps = $16,
         each_session_nanos = $17, exceeds_defaults = $18, grants = $19, revision = ${NEXT_REVISION}
     WHERE n.account_id = $1 AND n.node_id = $2
     RETURNING ${NODE_COLUMNS}`,
    [node.account_id, node.node_id, ...attributeValues(node)],
  );
  return onlyRow(rows, 'a node of a locked account is gone');
}

/** Marks a node of a locked account and everything below it as deleted, for good. */
export async function markNodeDeleted(db: Queryable, { account_id, node_id }: NodeRow): Promise<NodeRow> {
  const { rows } = await db.query<NodeRow>(
    `UPDATE auth.nodes n SET deleted_at = clock_timestamp(), revision = ${NEXT_REVISION}
     WHERE n.account_id = $1 AND (n.node_id = $2 OR n.parent_id = $2) AND n.deleted_at IS NULL
     RETURNING ${NODE_COLUMNS}`,
    [account_id, node_id],
  );
  return onlyRow(
    rows.filter((row) => row.node_id === node_id),
    'a node of a locked account is gone',
  );
}
