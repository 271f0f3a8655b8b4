import { Badge } from '../../components/badge.tsx';
import { Money } from '../../components/money.tsx';
import { RowLink } from '../../components/table/row-link.tsx';
import type { Column } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { compareMoney, parseMoney } from '../../format/money.ts';
import { AccountMenu } from './account-menu.tsx';
import type { AccountRow } from './accounts-page.tsx';

export function accountColumns(onSuspend: (account: AccountRow) => void): Column<AccountRow>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      cell: ({ account_id, name }) => <RowLink href={`/accounts/${account_id}/overview`}>{name}</RowLink>,
      compare: (left, right) => left.name.localeCompare(right.name),
    },
    {
      id: 'status',
      title: 'Status',
      width: 112,
      priority: 2,
      phone: 'detail',
      cell: (account) => <Status account={account} />,
    },
    {
      id: 'available',
      title: 'Available',
      priority: 1,
      width: 144,
      align: 'end',
      phone: 'value',
      cell: (account) => <Money value={balanceOf(account)} />,
      compare: (left, right) => compareMoney(balanceOf(left), balanceOf(right)),
    },
    {
      id: 'held',
      title: 'Held',
      priority: 5,
      width: 128,
      align: 'end',
      cell: ({ held }) => <Money value={held} />,
      compare: (left, right) => compareMoney(left.held, right.held),
    },
    {
      id: 'spent',
      title: 'Spent this month',
      priority: 3,
      width: 144,
      align: 'end',
      cell: ({ spent_this_month }) => <Money value={spent_this_month} />,
      compare: (left, right) => compareMoney(left.spent_this_month, right.spent_this_month),
    },
    {
      id: 'runs_out',
      title: 'Runs out',
      width: 128,
      cell: (account) => <RunsOut account={account} />,
      compare: (left, right) => runsOutMs(left) - runsOutMs(right),
    },
    {
      id: 'loss',
      title: 'Loss',
      priority: 4,
      width: 128,
      align: 'end',
      cell: ({ loss }) => (isZero(loss) ? <span className="muted">–</span> : <Money value={loss} />),
      compare: (left, right) => compareMoney(left.loss, right.loss),
    },
    {
      id: 'discount',
      title: 'Discount',
      priority: 7,
      width: 88,
      align: 'end',
      cell: ({ discount_percent }) =>
        Number(discount_percent) === 0 ? <span className="muted">–</span> : `${discount_percent}%`,
    },
    {
      id: 'created',
      title: 'Created',
      priority: 6,
      width: 112,
      cell: ({ created_at }) => <Time value={created_at} />,
      compare: (left, right) => Date.parse(left.created_at) - Date.parse(right.created_at),
    },
    {
      id: 'actions',
      title: 'Actions',
      hideTitle: true,
      priority: 0,
      width: 48,
      align: 'end',
      phone: 'end',
      cell: (account) => <AccountMenu account={account} onSuspend={onSuspend} />,
    },
  ];
}

function Status({ account }: { account: AccountRow }) {
  if (account.status === 'suspended') {
    return (
      <span data-tip={account.suspension_reason ?? 'No reason given'}>
        <Badge tone="bad">Suspended</Badge>
      </span>
    );
  }
  return isZero(account.owed) ? <Badge tone="good">Active</Badge> : <Badge tone="warn">Owes money</Badge>;
}

/** When the balance is spent at the rate of the last days. */
function RunsOut({ account: { runs_out_at: at, available } }: { account: AccountRow }) {
  if (at === null) return <span className="muted">–</span>;
  return isZero(available) ? <span className="muted">Nothing is left</span> : <Time value={at} />;
}

/** Accounts that spend nothing come last. */
export function runsOutMs({ runs_out_at: at }: AccountRow): number {
  return at === null ? Number.MAX_SAFE_INTEGER : Date.parse(at);
}

/** Below zero for accounts that owe money. */
function balanceOf({ available, owed }: AccountRow): string {
  return isZero(owed) ? available : `-${owed}`;
}

function isZero(amount: string): boolean {
  return parseMoney(amount) === 0n;
}
