import { useRead } from '../api/queries.ts';
import { useAccount } from './account-context.tsx';

/** The name of the account of this page; its id until the name is known. */
export function useAccountName(): string {
  const { accountId, name } = useAccount();
  const account = useRead('GET /accounts/{account_id}', { path: { account_id: accountId } });
  return account.data?.name ?? name ?? accountId;
}
