import { optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import type { Pool } from '@tollgate/common/postgres/pool';
import { listNodes, type NodeList, type NodeRow } from '../store/nodes.ts';

/** Reads a page of nodes; its cursor is the id of the last one before it. */
export async function readPage<Item>(
  pool: Pool,
  which: NodeList,
  request: { limit: number; cursor: string },
  toItem: (row: NodeRow, nowMs: number) => Item,
): Promise<{ data: Item[]; nextCursor: string }> {
  const after = optionalUuidArgument('cursor', request.cursor);
  const rows = await listNodes(pool, which, { after, limit: request.limit + 1 });
  const page = rows.slice(0, request.limit);
  const nowMs = Date.now();
  return {
    data: page.map((row) => toItem(row, nowMs)),
    nextCursor: rows.length > request.limit ? (page.at(-1)?.node_id ?? '') : '',
  };
}
