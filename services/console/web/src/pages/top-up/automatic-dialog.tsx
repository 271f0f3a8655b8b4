import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import type { Item, Output } from '../../api/client.ts';
import { type ApiError, draftError } from '../../api/error.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNote, Nothing } from '../../components/note.tsx';
import { Select } from '../../components/select.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { toast } from '../../components/toast.tsx';
import { useNow } from '../../format/now.ts';
import { firstDraft, readAutomatic } from './automatic-draft.ts';
import type { AutomaticTopUp } from './automatic-text.ts';
import { cardName, hasExpired } from './payment-text.ts';

type Card = Item<'GET /accounts/{account_id}/payment-methods'>;

interface AutomaticDialogProps {
  topUp: AutomaticTopUp;
  options: Output<'GET /accounts/{account_id}/payment-options'>;
  onClose: () => void;
}

/** Switches automatic top-up on, or changes it. */
export function AutomaticDialog({ topUp, options, onClose }: AutomaticDialogProps) {
  const { accountId } = useAccount();
  const now = useNow();
  const cards = useRead('GET /accounts/{account_id}/payment-methods', { path: { account_id: accountId } });
  const usable = cards.data?.data.filter((card) => !hasExpired(card, now));
  return (
    <Dialog title="Automatic top-up" isOpen onClose={onClose}>
      {usable === undefined ? (
        cards.isError ? (
          <ErrorNote title="The saved cards could not be loaded." error={cards.error} onRetry={cards.refetch} />
        ) : (
          <SkeletonBlock height={240} />
        )
      ) : usable.length === 0 ? (
        <Nothing>No card is saved. Pay once by card, and tick “Save this card for later payments”.</Nothing>
      ) : (
        <Form topUp={topUp} minAmount={options.min_amount} cards={usable} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface FormProps {
  topUp: AutomaticTopUp;
  minAmount: string;
  cards: readonly Card[];
  onClose: () => void;
}

function Form({ topUp, minAmount, cards, onClose }: FormProps) {
  const { accountId } = useAccount();
  const card = cards.find(({ method_id }) => method_id === topUp.rule?.method_id) ?? cards[0];
  const [draft, setDraft] = useState(() => firstDraft(topUp, minAmount, card?.method_id ?? ''));
  const [wrong, setWrong] = useState<ApiError | null>(null);
  const save = useChange('PUT /accounts/{account_id}/automatic-top-up', {
    failed: null,
    what: () => 'The change of automatic top-up',
    invalidates: ['GET /accounts/{account_id}/automatic-top-up'],
  });
  const submit = () => {
    const { rule, errors } = readAutomatic(draft, minAmount);
    setWrong(errors === null ? null : draftError(errors));
    if (rule === null) return;
    save.mutate(
      { path: { account_id: accountId }, body: rule },
      {
        onSuccess: () => {
          toast({ kind: 'done', message: 'Automatic top-up is on.' });
          onClose();
        },
      },
    );
  };
  const amount = (name: 'threshold' | 'target' | 'monthly_max', label: string, hint: string) => (
    <TextField
      label={label}
      name={name}
      prefix="$"
      inputMode="decimal"
      autoComplete="off"
      isRequired
      value={draft[name]}
      onChange={(typed) => setDraft({ ...draft, [name]: typed })}
      hint={hint}
    />
  );
  return (
    <CallForm
      failed="Automatic top-up was not changed."
      error={wrong ?? save.error}
      fields={['threshold', 'target', 'monthly_max', 'method_id']}
      onSubmit={submit}
    >
      {amount('threshold', 'When the balance falls to', 'What open requests hold is part of the balance.')}
      {amount('target', 'Top up to', 'The card is charged what is missing.')}
      {amount('monthly_max', 'Most in a month', 'By calendar month, in UTC.')}
      <Select
        label="Card"
        name="method_id"
        options={cards.map((each) => ({ value: each.method_id, label: cardName(each.brand, each.last4) }))}
        value={draft.method_id}
        onChange={(method_id) => setDraft({ ...draft, method_id })}
      />
      <p className="muted small">
        With this you allow that the card is charged without you, within these amounts, until it is switched off here.
      </p>
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" type="submit" pending={save.isPending && 'Saving'}>
          {topUp.rule === null ? 'Switch on' : 'Save'}
        </Button>
      </DialogActions>
    </CallForm>
  );
}
