import { useAccount } from '../../account/account-context.tsx';
import { address } from '../../api/client.ts';

/** The receipt of a payment, as a file. */
export function Receipt({ depositId }: { depositId: string }) {
  const { accountId } = useAccount();
  const path = { account_id: accountId, deposit_id: depositId };
  return (
    <a download href={address('GET /accounts/{account_id}/deposits/{deposit_id}/receipt', { path })}>
      Receipt
    </a>
  );
}
