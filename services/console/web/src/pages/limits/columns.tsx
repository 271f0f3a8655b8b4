import { useAccount } from '../../account/account-context.tsx';
import { Button } from '../../components/button.tsx';
import { ChevronDownIcon, ChevronRightIcon } from '../../components/icons.tsx';
import { Money } from '../../components/money.tsx';
import { RowLink } from '../../components/table/row-link.tsx';
import type { Column } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { CapCell, Reached } from '../keys/cap-usage.tsx';
import { tightestCap } from '../keys/caps.ts';
import { KeyStatus } from '../keys/key-status.tsx';
import styles from './limits.module.css';
import type { LimitedNode, TreeRow } from './tree.ts';

const SCOPES: Readonly<Record<string, string>> = {
  project: 'Project',
  service_account: 'Service account',
  member: 'Member',
  key: 'Key',
};

/** How far a row is in for each node above it. */
const INDENT_PX = 16;

/** The columns of the tree: of each node its tightest cap. */
export function useTreeColumns(onFold: (node: LimitedNode) => void): Column<TreeRow>[] {
  const { href } = useAccount();
  const amounts = (id: 'spent' | 'held', title: string, priority: number): Column<TreeRow> => ({
    id,
    title,
    priority,
    width: 88,
    align: 'end',
    cell: ({ node }) => {
      const cap = tightestCap(node.cap_usage);
      return cap === undefined ? null : <Money value={cap[id]} />;
    },
  });
  return [
    {
      id: 'name',
      title: 'Name',
      width: 240,
      grow: 3,
      cell: (row) => (
        <span className={styles['name']} style={{ paddingInlineStart: row.depth * INDENT_PX }}>
          <Fold row={row} onFold={onFold} />
          <RowLink href={href(pathOf(row))}>{row.node.name}</RowLink>
          <span className="muted small">{SCOPES[row.node.scope]}</span>
          <Trouble node={row.node} />
        </span>
      ),
    },
    {
      id: 'cap',
      title: 'Tightest cap',
      width: 184,
      grow: 1,
      priority: 1,
      phone: 'detail',
      cell: ({ node }) => <CapCell usages={node.cap_usage} />,
    },
    amounts('spent', 'Spent', 4),
    amounts('held', 'Held', 6),
    {
      id: 'left',
      title: 'Left',
      priority: 2,
      width: 88,
      align: 'end',
      phone: 'value',
      cell: ({ node }) => {
        const cap = tightestCap(node.cap_usage);
        if (cap === undefined) return null;
        return (
          <>
            <Money value={cap.left} /> <span className={styles['unit']}>left</span>
          </>
        );
      },
    },
    {
      id: 'resets',
      title: 'Resets',
      width: 96,
      priority: 3,
      phone: 'end',
      cell: ({ node }) => {
        const at = tightestCap(node.cap_usage)?.resets_at ?? null;
        return at === null ? null : <Time value={at} />;
      },
    },
    {
      id: 'forecast',
      title: 'Reached at this pace',
      width: 152,
      priority: 5,
      cell: ({ node }) => {
        const at = firstReached(node);
        return at === null ? null : <Reached at={at} />;
      },
    },
  ];
}

/** A mark for what is not well: it is off, or requests are refused because of a cap. */
function Trouble({ node: { status, cap_usage } }: { node: LimitedNode }) {
  if (status === 'active' && !cap_usage.some(({ reached }) => reached)) return null;
  return <KeyStatus status={status} caps={cap_usage} />;
}

function Fold({ row: { node, isOpen }, onFold }: { row: TreeRow; onFold: (node: LimitedNode) => void }) {
  if (isOpen === null) return <span className={styles['leaf']} />;
  return (
    <span className={styles['fold']}>
      <Button
        look="quiet"
        size="small"
        aria-label={`${isOpen ? 'Fold' : 'Unfold'} ${node.name}`}
        aria-expanded={isOpen}
        onPress={() => onFold(node)}
      >
        {isOpen ? <ChevronDownIcon /> : <ChevronRightIcon />}
      </Button>
    </span>
  );
}

/** Where the caps of a node are changed. */
export function pathOf({ node, projectId }: TreeRow): `/${string}` {
  if (node.scope === 'key') return `/keys/${node.id}`;
  return node.scope === 'project' ? `/projects/${node.id}` : `/projects/${projectId}?node=${node.id}`;
}

/** When the first of its caps is reached. */
function firstReached({ cap_usage }: LimitedNode): string | null {
  const times = cap_usage.flatMap(({ reached_at }) => reached_at ?? []);
  return times.sort()[0] ?? null;
}
