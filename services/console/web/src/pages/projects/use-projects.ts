import { useAccount } from '../../account/account-context.tsx';
import { rowsOf, useList, useWholeList } from '../../api/queries.ts';

/** All projects of the account, at most 1,000, in order of creation: the first is the default. */
export function useProjects(isNeeded = true) {
  const { accountId } = useAccount();
  const list = useList(
    'GET /accounts/{account_id}/projects',
    { path: { account_id: accountId }, query: { limit: 200 } },
    { enabled: isNeeded },
  );
  const isIncomplete = useWholeList(list, isNeeded);
  return { list, projects: rowsOf<'GET /accounts/{account_id}/projects'>(list.data), isIncomplete };
}
