import { useAccount } from '../../account/account-context.tsx';
import { patch, useChange } from '../../api/queries.ts';
import { Switch } from '../../components/field.tsx';

/** Whether alerts are mailed. */
export function MailSwitch({ enabled }: { enabled: boolean }) {
  const { accountId, may } = useAccount();
  const change = useChange('PUT /accounts/{account_id}/alert-mails', {
    failed: 'The e-mails were not changed.',
    invalidates: ['GET /accounts/{account_id}/alerts'],
    optimistic: ({ body }) => [
      patch('GET /accounts/{account_id}/alerts', (before) => ({ ...before, mail_enabled: body.enabled })),
    ],
  });
  if (!may('operator', 'owner', 'billing')) {
    return <p>{enabled ? 'Owners and billing members get an e-mail.' : 'Alerts are not mailed.'}</p>;
  }
  return (
    <Switch
      isSelected={enabled}
      onChange={(next) => change.mutate({ path: { account_id: accountId }, body: { enabled: next } })}
    >
      E-mail owners and billing members
    </Switch>
  );
}
