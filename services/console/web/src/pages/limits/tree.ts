import type { Item } from '../../api/client.ts';

/** A project, one of its owners, or a key. */
export type LimitedNode = Item<'GET /accounts/{account_id}/limits'>;

/** A node as a row: under its parent, in one column. */
export interface TreeRow {
  node: LimitedNode;
  /** The project it is in. */
  projectId: string;
  /** How many are above it. */
  depth: number;
  /** Whether what is below it shows; null: nothing is. */
  isOpen: boolean | null;
}

/** In a tree with more nodes, keys are folded. */
const MAX_OPEN = 100;

/** Whether what is below a node shows unless somebody has folded or unfolded it. Derived keys are loaded when they are unfolded. */
export function opensByItself(node: LimitedNode, count: number): boolean {
  return node.scope === 'project' || (node.scope !== 'key' && count <= MAX_OPEN);
}

/**
 * The rows of a tree from the root on: what is below a node follows it, owners before keys.
 *
 * @param nodes in the order of the API, also derived keys that are loaded
 */
export function treeRows(nodes: readonly LimitedNode[], isOpen: (node: LimitedNode) => boolean): TreeRow[] {
  const below = Map.groupBy(nodes, ({ parent_id }) => parent_id);
  const rowsOf = (node: LimitedNode, projectId: string, depth: number): TreeRow[] => {
    const children = below.get(node.id) ?? [];
    const hasBelow = children.length > 0 || node.has_derived_keys;
    const row = { node, projectId, depth, isOpen: hasBelow ? isOpen(node) : null };
    return row.isOpen ? [row, ...children.flatMap((child) => rowsOf(child, projectId, depth + 1))] : [row];
  };
  return (below.get(null) ?? []).flatMap((project) => rowsOf(project, project.id, 0));
}
