import {
  type AppliedCaps,
  NodeScope,
  type NodeState,
  NodeStatus,
  type Project,
  type ProjectMember,
  type ServiceAccount,
} from '@tollgate/proto/auth';
import { capsOfJson, millisecondsOf, rateLimits, spendingCaps } from './columns.ts';
import { appliedCaps, defaultsOf } from './defaults.ts';
import { withGrants } from './grants.ts';
import type { NodeKind, NodeRow } from './nodes.ts';

/** The wire form of a project. */
export function toProject(row: NodeRow, nowMs: number): Project {
  return {
    projectId: row.node_id,
    accountId: row.account_id,
    name: row.name,
    isDefault: row.node_id === row.account_id,
    state: toState(row, nowMs),
  };
}

/** The wire form of a service account. */
export function toServiceAccount(row: NodeRow, nowMs: number): ServiceAccount {
  return {
    serviceAccountId: row.node_id,
    accountId: row.account_id,
    projectId: row.parent_id ?? '',
    name: row.name,
    state: toState(row, nowMs),
  };
}

/** The wire form of a member in a project. */
export function toProjectMember(row: NodeRow, nowMs: number): ProjectMember {
  return {
    personId: row.person_id ?? '',
    accountId: row.account_id,
    projectId: row.parent_id ?? '',
    email: row.name,
    nodeId: row.node_id,
    state: toState(row, nowMs),
  };
}

function toState(row: NodeRow, nowMs: number): NodeState {
  return {
    status: nodeStatusOf(row, nowMs),
    enabled: row.disabled_at === null,
    createdAtMs: millisecondsOf(row.created_at),
    expiresAtMs: millisecondsOf(row.expires_at),
    deletedAtMs: millisecondsOf(row.deleted_at),
    allowedModels: row.allowed_models,
    caps: spendingCaps(row),
    limits: rateLimits(row),
    eachKey: spendingCaps(capsOfJson(row.each_key_caps)),
    eachMember: spendingCaps(capsOfJson(row.each_member_caps)),
    eachServiceAccount: spendingCaps(capsOfJson(row.each_service_account_caps)),
    eachSessionNanos: row.each_session_nanos ?? undefined,
    exceedsDefaults: row.exceeds_defaults,
    appliedCaps: nodeCaps(row, nowMs),
    createdBy: row.created_by_id === null ? undefined : { personId: row.created_by_id, name: row.created_by_name },
  };
}

/** The scope of each kind of node. */
export const SCOPE_OF_KIND = {
  project: NodeScope.PROJECT,
  service_account: NodeScope.SERVICE_ACCOUNT,
  member: NodeScope.MEMBER,
  key: NodeScope.KEY,
} as const satisfies Record<NodeKind | 'key', NodeScope>;

/** The caps in force of a node but for those that are granted for a window, and what set each. */
export function capsOfNode(row: NodeRow): AppliedCaps {
  const above = row.parent_defaults === null ? [] : [defaultsOf(row.parent_defaults)];
  return appliedCaps(row.kind === 'project' ? null : row.kind, row, above);
}

/** The caps in force of a node now. */
export function nodeCaps(row: NodeRow, nowMs: number): AppliedCaps {
  return withGrants(capsOfNode(row), row.grants, nowMs);
}

export function nodeStatusOf({ deleted_at, disabled_at, expires_at }: NodeRow, nowMs: number): NodeStatus {
  if (deleted_at !== null) return NodeStatus.DELETED;
  if (disabled_at !== null) return NodeStatus.OFF;
  return expires_at !== null && expires_at.getTime() <= nowMs ? NodeStatus.EXPIRED : NodeStatus.ACTIVE;
}
