import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { type ApiError, draftError } from '../../api/error.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import { toast } from '../../components/toast.tsx';
import { exactMoney } from '../../format/money.ts';
import { newIdempotencyKey } from '../shared/idempotency-key.ts';
import { type DepositDraft, KINDS, type Kind, readDeposit } from './deposit-draft.ts';

const OPTIONS = (Object.keys(KINDS) as Kind[]).map((value) => ({
  value,
  label: KINDS[value].label,
  detail: KINDS[value].help,
}));

/** Credits or debits the account by hand. */
export function DepositDialog({ onClose }: { onClose: () => void }) {
  const { accountId } = useAccount();
  const [draft, setDraft] = useState<DepositDraft>({ kind: 'deposit', amount: '', reason: '' });
  const [wrong, setWrong] = useState<ApiError | null>(null);
  // One key per form: sending it twice credits once.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const create = useChange('POST /accounts/{account_id}/deposits', {
    failed: null,
    invalidates: [
      'GET /accounts/{account_id}/balance',
      'GET /accounts/{account_id}/deposits',
      'GET /accounts/{account_id}/overview',
      'GET /accounts/{account_id}/alerts',
      'GET /operator/accounts',
      'GET /operator/ledger',
    ],
  });
  const submit = () => {
    const { deposit, errors } = readDeposit(draft);
    if (deposit === null) {
      setWrong(draftError(errors));
      return;
    }
    setWrong(null);
    create.mutate(
      { path: { account_id: accountId }, body: { ...deposit, idempotency_key: idempotencyKey } },
      {
        onSuccess: ({ balance }) => {
          toast({ kind: 'done', message: `The account has ${exactMoney(balance.available)} left.` });
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title="Credit account" isOpen onClose={onClose}>
      <CallForm
        failed="The account was not credited."
        error={wrong ?? create.error}
        fields={['kind', 'amount', 'reason']}
        onSubmit={submit}
      >
        <Select
          label="Kind"
          name="kind"
          options={OPTIONS}
          value={draft.kind}
          onChange={(kind) => setDraft({ ...draft, kind })}
          hint={KINDS[draft.kind].help}
        />
        <TextField
          label="Amount"
          name="amount"
          prefix="$"
          inputMode="decimal"
          isRequired
          autoFocus
          value={draft.amount}
          onChange={(amount) => setDraft({ ...draft, amount })}
        />
        <TextField
          label="Reason"
          name="reason"
          isRequired
          value={draft.reason}
          onChange={(reason) => setDraft({ ...draft, reason })}
          hint="Shown in the history of the account."
        />
        <DialogActions>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" pending={create.isPending && 'Crediting'}>
            Credit account
          </Button>
        </DialogActions>
      </CallForm>
    </Dialog>
  );
}
