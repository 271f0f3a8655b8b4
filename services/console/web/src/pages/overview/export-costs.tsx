import { useAccount } from '../../account/account-context.tsx';
import { address } from '../../api/client.ts';
import { download } from '../../components/export-menu.tsx';
import { ChevronDownIcon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { month as monthName } from '../../format/time.ts';

const MONTHS = 12;

/** Downloads the charges of a month for tools of finance. Months are in UTC, as the ledger sums days. */
export function ExportCosts() {
  const { accountId, is } = useAccount();
  if (!is('operator', 'owner', 'billing')) return null;
  const now = new Date();
  const entries = Array.from({ length: MONTHS }, (_, back) => {
    const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back));
    const month = start.toISOString().slice(0, 7);
    return {
      label: monthName(start, 'utc'),
      ...(back === 0 ? { detail: 'So far' } : {}),
      onAction: () =>
        download(address('GET /accounts/{account_id}/focus', { path: { account_id: accountId }, query: { month } })),
    };
  });
  return (
    <Menu look="secondary" entries={entries}>
      Costs as FOCUS
      <ChevronDownIcon />
    </Menu>
  );
}
