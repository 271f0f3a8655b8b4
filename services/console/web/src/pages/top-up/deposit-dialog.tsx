import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { useAccountName } from '../../account/account-name.ts';
import { type ApiError, draftError } from '../../api/error.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import { toast } from '../../components/toast.tsx';
import { shortMoney } from '../../format/money.ts';
import { newIdempotencyKey } from '../shared/idempotency-key.ts';
import {
  type DepositDraft,
  KINDS,
  type Kind,
  LOT_KINDS,
  type LotKind,
  makesLot,
  readDeposit,
  usualLotKind,
} from './deposit-draft.ts';

const OPTIONS = (Object.keys(KINDS) as Kind[]).map((value) => ({
  value,
  label: KINDS[value].label,
  detail: KINDS[value].help,
}));

const LOT_OPTIONS = (Object.keys(LOT_KINDS) as LotKind[]).map((value) => ({
  value,
  label: LOT_KINDS[value].label,
  detail: LOT_KINDS[value].help,
}));

/** Credits or debits the account by hand. */
export function DepositDialog({ onClose }: { onClose: () => void }) {
  const { accountId } = useAccount();
  const name = useAccountName();
  const [draft, setDraft] = useState<DepositDraft>({
    kind: 'deposit',
    amount: '',
    reason: '',
    lotKind: undefined,
    lastDay: '',
  });
  const [wrong, setWrong] = useState<ApiError | null>(null);
  // One key per form: sending it twice credits once.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const create = useChange('POST /accounts/{account_id}/deposits', {
    failed: null,
    what: ({ body }) => `The ${KINDS[body.kind].label.toLowerCase()} of ${shortMoney(body.amount)} for ${name}`,
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
    const { deposit, errors } = readDeposit(draft, Date.now());
    if (deposit === null) {
      setWrong(draftError(errors));
      return;
    }
    setWrong(null);
    create.mutate(
      { path: { account_id: accountId }, body: { ...deposit, idempotency_key: idempotencyKey } },
      {
        onSuccess: ({ balance }) => {
          toast({ kind: 'done', message: `${name} has ${shortMoney(balance.available)} left.` });
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
        fields={['kind', 'amount', 'reason', 'lot_kind', 'ends_at']}
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
        {makesLot(draft) && <LotFields draft={draft} onChange={setDraft} />}
        <Review draft={draft} name={name} />
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

/** What kind of credit it is, and when it ends. */
function LotFields({ draft, onChange }: { draft: DepositDraft; onChange: (draft: DepositDraft) => void }) {
  const lotKind = draft.lotKind ?? usualLotKind(draft.kind);
  return (
    <>
      <Select
        label="Credit is"
        name="lot_kind"
        options={LOT_OPTIONS}
        value={lotKind}
        onChange={(value) => onChange({ ...draft, lotKind: value })}
        hint={LOT_KINDS[lotKind].help}
      />
      <TextField
        label="Last day"
        name="ends_at"
        type="date"
        value={draft.lastDay}
        onChange={(lastDay) => onChange({ ...draft, lastDay })}
        hint="In UTC. What is left then is lost. Empty: it does not end."
      />
    </>
  );
}

/** What will happen, with the name of the account: credit of another account is hard to take back. */
function Review({ draft, name }: { draft: DepositDraft; name: string }) {
  const { deposit } = readDeposit({ ...draft, reason: 'review' }, Date.now());
  if (deposit === null) return null;
  const isTaken = deposit.amount.startsWith('-');
  return (
    <p role="status">
      {isTaken ? 'Takes ' : 'Credits '}
      <span className="strong">{shortMoney(deposit.amount.replace('-', ''))}</span>
      {isTaken ? ' from ' : ' to '}
      <span className="strong">{name}</span>.
    </p>
  );
}
