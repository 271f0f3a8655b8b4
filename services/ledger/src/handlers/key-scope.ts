import { optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import type { CallContext } from '@tollgate/common/grpc/handler';
import type { Charge } from '@tollgate/proto/ledger';
import type { UsageFilter } from '../store/usage.ts';

type Caller = Pick<CallContext, 'actor'>;

/** Whose requests a caller may see; all of the account where nothing is given. */
export type Scope = Pick<UsageFilter, 'keysAndBelow' | 'projectIds'>;

/** Developers see requests of keys they made, and of keys derived from these; some of them in some projects only. */
export function scopeOf({ actor }: Caller): Scope {
  if (actor === undefined) return {};
  return {
    keysAndBelow: actor.role === 'developer' ? (actor.keyIds ?? []) : actor.keyIds,
    projectIds: actor.projectIds,
  };
}

/** Whether a caller may see a charge. */
export function isInScope(
  { accountId, keyId, nodes }: Pick<Charge, 'accountId' | 'keyId' | 'nodes'>,
  caller: Caller,
): boolean {
  const { keysAndBelow, projectIds } = scopeOf(caller);
  const passes = (ids: readonly string[], other: string) => {
    return ids.includes(other) || nodes.some(({ nodeId }) => ids.includes(nodeId));
  };
  if (keysAndBelow !== undefined && !passes(keysAndBelow, keyId)) return false;
  // What names no nodes is the default project's, which has the id of its account.
  return projectIds === undefined || passes(projectIds, nodes.length === 0 ? accountId : '');
}

/** The filter for a project and an owner, as far as the caller may see them; empty: all. */
export function placeFilter(
  caller: Caller,
  { projectId, ownerId }: { projectId: string; ownerId: string },
): UsageFilter {
  const [project, owner] = [optionalUuidArgument('project_id', projectId), optionalUuidArgument('owner_id', ownerId)];
  return filterIn(caller, {
    projectIds: project === undefined ? undefined : [project],
    ownerIds: owner === undefined ? undefined : [owner],
  });
}

/** What is asked for, as far as the caller may see it. */
export function filterIn(caller: Caller, asked: UsageFilter): UsageFilter {
  const { keysAndBelow, projectIds: visible } = scopeOf(caller);
  const { projectIds = visible } = asked;
  return {
    ...asked,
    keysAndBelow,
    projectIds: visible === undefined ? projectIds : projectIds?.filter((id) => visible.includes(id)),
  };
}

/** Whether a filter passes nothing at all. */
export function isNothing({ keyIds, keysAndBelow, projectIds, ownerIds }: UsageFilter): boolean {
  return [keyIds, keysAndBelow, projectIds, ownerIds].some((ids) => ids?.length === 0);
}
