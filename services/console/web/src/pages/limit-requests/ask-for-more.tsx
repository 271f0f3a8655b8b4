import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { rowsOf, useList } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Time } from '../../components/time.tsx';
import { AskDialog, type AskedLimit } from './ask-dialog.tsx';
import { answerText } from './limit-text.ts';

const ROUTE = 'GET /accounts/{account_id}/limit-requests';

/** On the page of a refused request: asks for a higher limit, and shows what became of that. */
export function AskForMore({ limit }: { limit: AskedLimit }) {
  const { accountId, href } = useAccount();
  const { person } = useSession();
  const [asking, setAsking] = useState(false);
  const list = useList(ROUTE, { path: { account_id: accountId }, query: { limit: 100 } }, { refetchInterval: 10_000 });
  const rows = rowsOf<typeof ROUTE>(list.data) ?? [];
  const last = rows.find(
    ({ asked_by, scope, id, window }) =>
      asked_by?.person_id === person.person_id && scope === limit.scope && id === limit.id && window === limit.window,
  );
  const answer = last === undefined ? null : answerText(last);
  return (
    <>
      {last !== undefined && (
        <p>
          You asked for more <Time value={last.created_at} />. {answer ?? 'There is no answer yet.'}
        </p>
      )}
      {last?.status === 'open' ? (
        <ButtonLink href={href(`/limit-requests?request=${last.limit_request_id}`)}>See the limit request</ButtonLink>
      ) : (
        <Button onPress={() => setAsking(true)}>Ask for more</Button>
      )}
      {asking && <AskDialog limit={limit} onClose={() => setAsking(false)} />}
    </>
  );
}
