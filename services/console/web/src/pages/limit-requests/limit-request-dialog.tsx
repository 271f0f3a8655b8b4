import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import type { Output } from '../../api/client.ts';
import { type ApiError, draftError } from '../../api/error.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { CapBar } from '../../components/bar.tsx';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Choices } from '../../components/choices.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Money } from '../../components/money.tsx';
import { ErrorNote } from '../../components/note.tsx';
import { type Fact, Facts } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { PROJECT_READS } from '../projects/nodes.ts';
import { trimZeros } from '../shared/decimal.ts';
import { checked, type Errors, readAmount } from '../shared/limits/draft.ts';
import { answerText, LIMIT_REQUEST_READS, limitName, windowName } from './limit-text.ts';

const ROUTE = 'GET /accounts/{account_id}/limit-requests/{limit_request_id}';
type LimitRequestWithUsage = Output<typeof ROUTE>;

/** A limit request: who asks for what and why, what is spent, and the answer or the form of it. */
export function LimitRequestDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { accountId } = useAccount();
  const read = useRead(ROUTE, { path: { account_id: accountId, limit_request_id: id } });
  return (
    <Dialog title="Limit request" isOpen onClose={onClose}>
      {read.isPending && <SkeletonBlock height={160} />}
      {read.data === undefined && read.error !== null && (
        <ErrorNote title="The limit request could not be loaded." error={read.error} onRetry={read.refetch} />
      )}
      {read.data !== undefined && <Content request={read.data} onClose={onClose} />}
    </Dialog>
  );
}

function Content({ request, onClose }: { request: LimitRequestWithUsage; onClose: () => void }) {
  const { may } = useAccount();
  const { person } = useSession();
  const { status, usage, asked_by, limit, amount, created_at, key_name, reason } = request;
  const isOpen = status === 'open';
  const facts: Fact[] = [
    { label: 'Asked by', value: asked_by?.name ?? 'Nobody' },
    { label: 'When', value: <Time value={created_at} /> },
    { label: 'Key', value: key_name },
    ...(limit === null ? [] : [{ label: 'Limit then', value: <Money value={limit} /> }]),
    { label: 'Asks for', value: amount === null ? 'More' : <Money value={amount} /> },
  ];
  return (
    <>
      <p className="strong">A higher {limitName(request)}</p>
      <p>{reason}</p>
      <Facts facts={facts} />
      {usage !== null && <Usage usage={usage} />}
      {isOpen && may('operator', 'owner', 'admin') ? (
        <AnswerForm request={request} onClose={onClose} />
      ) : (
        <>
          <p>{answerText(request) ?? 'There is no answer yet.'}</p>
          {isOpen && asked_by?.person_id === person.person_id && <Withdraw request={request} onClose={onClose} />}
        </>
      )}
    </>
  );
}

function Usage({ usage: { spent, held, left, limit } }: { usage: NonNullable<LimitRequestWithUsage['usage']> }) {
  const beside = [spent, held, left, limit];
  return (
    <div>
      <CapBar label="Spent" spent={spent} held={held} limit={limit} />
      <p>
        <Money value={spent} beside={beside} /> spent, <Money value={held} beside={beside} /> held,{' '}
        <Money value={left} beside={beside} /> left of <Money value={limit} beside={beside} />
      </p>
    </div>
  );
}

/** What a granted limit changes. */
const READS = [...LIMIT_REQUEST_READS, ...PROJECT_READS] as const;

function AnswerForm({ request, onClose }: { request: LimitRequestWithUsage; onClose: () => void }) {
  const { account_id, limit_request_id, amount: asked, window } = request;
  const path = { account_id, limit_request_id };
  const [amount, setAmount] = useState(asked === null ? '' : trimZeros(asked));
  const forWindow = windowName(window);
  const [duration, setDuration] = useState<'window' | 'always'>(forWindow === null ? 'always' : 'window');
  const [note, setNote] = useState('');
  const [wrong, setWrong] = useState<ApiError | null>(null);
  const what = () => 'The answer';
  const grant = useChange('POST /accounts/{account_id}/limit-requests/{limit_request_id}/grant', {
    failed: null,
    what,
    invalidates: READS,
  });
  const decline = useChange('POST /accounts/{account_id}/limit-requests/{limit_request_id}/decline', {
    failed: null,
    what,
    invalidates: LIMIT_REQUEST_READS,
  });
  const done = (message: string) => () => {
    toast({ kind: 'done', message });
    onClose();
  };
  const submit = () => {
    const errors: Errors = {};
    const granted = checked(errors, 'amount', readAmount(amount));
    if (granted === null && errors['amount'] === undefined) errors['amount'] = 'Enter an amount in dollars.';
    const isWrong = granted === null || Object.keys(errors).length > 0;
    setWrong(isWrong ? draftError(errors) : null);
    if (isWrong) return;
    const body = { amount: granted, duration, note: note.trim() };
    grant.mutate({ path, body }, { onSuccess: done('The limit is raised, at every ingress.') });
  };
  const name = forWindow ?? '';
  const choices = [
    { value: 'window', label: `${name.charAt(0).toUpperCase()}${name.slice(1)}` },
    { value: 'always', label: 'For good' },
  ];
  return (
    <CallForm
      failed="The limit request was not answered."
      error={wrong ?? grant.error ?? decline.error}
      fields={['amount', 'duration', 'note']}
      onSubmit={submit}
    >
      <TextField
        label="New limit"
        name="amount"
        prefix="$"
        inputMode="decimal"
        value={amount}
        onChange={setAmount}
        autoFocus
      />
      {forWindow !== null && window !== 'session' && (
        <Choices
          label="For how long"
          choices={choices}
          value={duration}
          onChange={(value) => setDuration(value === 'always' ? 'always' : 'window')}
        />
      )}
      <TextField label="Note" name="note" maxLength={500} value={note} onChange={setNote} hint="For who asked." />
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button
          pending={decline.isPending && 'Declining'}
          onPress={() => decline.mutate({ path, body: { note: note.trim() } }, { onSuccess: done('Declined.') })}
        >
          Decline
        </Button>
        <Button look="primary" type="submit" pending={grant.isPending && 'Granting'}>
          Grant
        </Button>
      </DialogActions>
    </CallForm>
  );
}

function Withdraw({ request, onClose }: { request: LimitRequestWithUsage; onClose: () => void }) {
  const { account_id, limit_request_id } = request;
  const withdraw = useChange('POST /accounts/{account_id}/limit-requests/{limit_request_id}/withdraw', {
    failed: 'The limit request was not withdrawn.',
    invalidates: LIMIT_REQUEST_READS,
  });
  return (
    <DialogActions>
      <Button
        pending={withdraw.isPending && 'Withdrawing'}
        onPress={() => withdraw.mutate({ path: { account_id, limit_request_id } }, { onSuccess: onClose })}
      >
        Withdraw
      </Button>
    </DialogActions>
  );
}
