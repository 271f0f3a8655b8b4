import { useAccount } from '../../account/account-context.tsx';
import { useRead } from '../../api/queries.ts';
import { useConfig } from '../../api/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Money } from '../../components/money.tsx';
import { ErrorNote, Note } from '../../components/note.tsx';
import { Facts, Page } from '../../components/page.tsx';
import { parseMoney } from '../../format/money.ts';
import { useSearchParams } from '../../url/search-params.ts';
import { OwesNote } from '../shared/owes-note.tsx';
import { CardPayments } from './card-payments.tsx';
import { DepositDialog } from './deposit-dialog.tsx';
import { History } from './history.tsx';
import { Lots } from './lots.tsx';
import { RedeemVoucher } from './redeem-voucher.tsx';

/** Balance, payments by card where they are set up, vouchers, who credited what and why, and for operators the form. */
export function TopUpPage() {
  const account = useAccount();
  const [params, setParams] = useSearchParams();
  const hasPayments = useConfig()?.payments;
  const requestId = params['request'];
  const isCrediting = params['credit'] === '1' && account.may('operator');
  const actions = (
    <>
      {requestId !== undefined && (
        <ButtonLink href={account.href(`/requests/${requestId}`)}>Back to the request</ButtonLink>
      )}
      {account.may('operator') && (
        <Button look={hasPayments === true ? 'secondary' : 'primary'} onPress={() => setParams({ credit: '1' })}>
          Credit account
        </Button>
      )}
    </>
  );
  return (
    <Page title="Top up" actions={actions}>
      <Balance accountId={account.accountId} />
      {hasPayments === true && <CardPayments requestId={requestId} />}
      {hasPayments === false && !account.is('operator') && (
        <Note title="How to top up">
          Operators of this gateway credit accounts. Send them the name of this account, the amount and what it is for.
        </Note>
      )}
      {account.may('operator', 'owner', 'billing') && <RedeemVoucher />}
      <History />
      {isCrediting && <DepositDialog onClose={() => setParams({ credit: undefined })} />}
    </Page>
  );
}

function Balance({ accountId }: { accountId: string }) {
  const balance = useRead(
    'GET /accounts/{account_id}/balance',
    { path: { account_id: accountId } },
    { refetchInterval: 15_000 },
  );
  if (balance.data === undefined) {
    if (!balance.isError) return null;
    return <ErrorNote title="The balance could not be loaded." error={balance.error} onRetry={balance.refetch} />;
  }
  const { available, held, owed, suspended, lots } = balance.data;
  return (
    <>
      {suspended && <OwesNote owed={owed} />}
      <Facts
        facts={[
          { label: 'Left', figure: <Money value={available} /> },
          { label: 'Held by open requests', figure: <Money value={held} /> },
          ...(parseMoney(owed) === 0n ? [] : [{ label: 'Owed', figure: <Money value={owed} /> }]),
        ]}
      />
      <Lots lots={lots} />
    </>
  );
}
