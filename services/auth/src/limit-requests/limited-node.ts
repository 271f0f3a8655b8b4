import type { CapPeriodLabel } from '@tollgate/common/cap-periods';
import { RpcError } from '@tollgate/common/errors';
import { sessionNodeId } from '@tollgate/common/keys/index';
import type { Queryable } from '@tollgate/common/postgres/pool';
import type { AppliedCaps } from '@tollgate/proto/auth';
import { findKeysAbove } from '../store/derived-keys.ts';
import { capsOfKey, type KeyRow } from '../store/keys.ts';
import type { LimitRequestRow, LimitScope } from '../store/limit-requests.ts';
import { capsOfNode } from '../store/node-messages.ts';
import { findNode, type NodeRow } from '../store/nodes.ts';

/** What has a limit on the path of a key. */
export type LimitedNode = Pick<LimitRequestRow, 'scope' | 'node_id' | 'node_name' | 'project_id'> & {
  /** Null: of a session, whose limit is its client's. */
  row: KeyRow | NodeRow | null;
};

/** Finds what a refused request names, as far as it is on the path of its key. @param id of a session its name */
export async function findOnPath(
  db: Queryable,
  key: KeyRow,
  { scope, id }: { scope: LimitScope; id: string },
): Promise<LimitedNode | undefined> {
  switch (scope) {
    case 'session':
      return { scope, node_id: sessionNodeId(key.key_id, id), node_name: id, project_id: null, row: null };
    case 'key': {
      const row = [key, ...(await findKeysAbove(db, key))].find((each) => each.key_id === id.toLowerCase());
      return row === undefined ? undefined : { scope, node_id: row.key_id, node_name: row.name, project_id: null, row };
    }
    case 'project':
    case 'service_account':
    case 'member': {
      const nodeId = scope === 'project' ? key.project_id : key.owner_id;
      const row =
        nodeId === null || nodeId !== id.toLowerCase() ? undefined : await findNode(db, key.account_id, nodeId);
      if (row === undefined || row.kind !== scope) return undefined;
      return { scope, node_id: row.node_id, node_name: row.name, project_id: key.project_id, row };
    }
    default:
      return scope satisfies never;
  }
}

/** The caps in force of a key or a node but for those that are granted for a window. */
export function capsOf(row: KeyRow | NodeRow): AppliedCaps {
  return 'key_id' in row ? capsOfKey(row) : capsOfNode(row);
}

/** The limit of a window that ends, or of all time. */
export function capPeriodOf(period: LimitRequestRow['period']): CapPeriodLabel {
  if (period === 'session') throw new RpcError('invalid_argument', 'window: only a session has this one');
  return period;
}
