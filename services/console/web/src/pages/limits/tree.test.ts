import { expect, it } from 'vitest';
import { type LimitedNode, opensByItself, treeRows } from './tree.ts';

function node(
  scope: LimitedNode['scope'],
  id: string,
  parent_id: string | null,
  has_derived_keys = false,
): LimitedNode {
  return { scope, id, parent_id, name: id, status: 'active', cap_usage: [], has_derived_keys };
}

const NODES = [
  node('project', 'p1', null),
  node('project', 'p2', null),
  node('service_account', 'ci', 'p2'),
  node('member', 'bo', 'p1'),
  node('key', 'k3', 'p1'),
  node('key', 'k2', 'ci', true),
  node('key', 'k1', 'bo'),
];

const shown = (rows: ReturnType<typeof treeRows>) => rows.map(({ node: { id }, depth }) => `${'-'.repeat(depth)}${id}`);

it('has what is below a node after it, owners before keys', () => {
  const rows = treeRows(NODES, () => true);
  expect(shown(rows)).toEqual(['p1', '-bo', '--k1', '-k3', 'p2', '-ci', '--k2']);
  expect(rows.map(({ projectId }) => projectId)).toEqual(['p1', 'p1', 'p1', 'p1', 'p2', 'p2', 'p2']);
  expect(rows.find(({ node: { id } }) => id === 'k1')?.isOpen).toBeNull();
});

it('leaves out what is below a folded node', () => {
  const rows = treeRows(NODES, ({ id }) => id !== 'p1');
  expect(shown(rows)).toEqual(['p1', 'p2', '-ci', '--k2']);
  expect(rows[0]?.isOpen).toBe(false);
});

it('has derived keys below theirs once they are loaded, and can unfold it before', () => {
  const folded = treeRows(NODES, ({ scope }) => scope !== 'key');
  expect(folded.at(-1)).toMatchObject({ node: { id: 'k2' }, isOpen: false });
  expect(shown(treeRows([...NODES, node('key', 'd1', 'k2')], () => true)).slice(-2)).toEqual(['--k2', '---d1']);
});

it('unfolds projects, owners where there are few nodes, and no keys', () => {
  expect(opensByItself(node('project', 'p', null), 1_000)).toBe(true);
  expect(opensByItself(node('member', 'm', 'p'), 100)).toBe(true);
  expect(opensByItself(node('member', 'm', 'p'), 101)).toBe(false);
  expect(opensByItself(node('key', 'k', 'm', true), 2)).toBe(false);
});
