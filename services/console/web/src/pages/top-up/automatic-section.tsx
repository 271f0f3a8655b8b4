import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { invalidate, useChange, useRead } from '../../api/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNote, Note } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { toast } from '../../components/toast.tsx';
import { paidMoney } from '../../format/money.ts';
import { exactTime } from '../../format/time.ts';
import { useZone } from '../../format/zone.ts';
import { AutomaticDialog } from './automatic-dialog.tsx';
import { type AutomaticTopUp, pauseText, ruleText } from './automatic-text.ts';
import { ConfirmPayment } from './confirm-payment.tsx';
import { CHANGED_BY_PAYMENTS } from './follow-payment.ts';

const ROUTE = 'GET /accounts/{account_id}/automatic-top-up';

/** Whether and how the account is topped up by itself, and what became of that. For those who may pay. */
export function AutomaticSection() {
  const { accountId } = useAccount();
  const path = { account_id: accountId };
  const client = useQueryClient();
  const [isEditing, setIsEditing] = useState(false);
  const [isCharging, setIsCharging] = useState(false);
  const topUp = useRead(ROUTE, { path }, { refetchInterval: isCharging ? 1_000 : 5_000 });
  const options = useRead('GET /accounts/{account_id}/payment-options', { path });
  const { state, month } = topUp.data ?? {};
  useEffect(() => setIsCharging(state === 'charging'), [state]);
  // What was charged shows in the balance and in the payments.
  useEffect(() => {
    if (state !== undefined && month !== undefined) void invalidate(client, CHANGED_BY_PAYMENTS);
  }, [client, state, month]);
  if (topUp.data?.offered === false && topUp.data.rule === null) return null;
  const isOn = topUp.data?.rule !== null && topUp.data !== undefined;
  return (
    <Section
      title="Automatic top-up"
      actions={
        topUp.data !== undefined &&
        options.data !== undefined && (
          <span className="row">
            {isOn && <SwitchOff />}
            <Button onPress={() => setIsEditing(true)}>{isOn ? 'Change' : 'Set up'}</Button>
          </span>
        )
      }
    >
      {topUp.data !== undefined ? (
        <State topUp={topUp.data} onChangeCard={() => setIsEditing(true)} />
      ) : topUp.isError ? (
        <ErrorNote title="Automatic top-up could not be loaded." error={topUp.error} onRetry={topUp.refetch} />
      ) : (
        <SkeletonBlock height={48} />
      )}
      {isEditing && topUp.data !== undefined && options.data !== undefined && (
        <AutomaticDialog topUp={topUp.data} options={options.data} onClose={() => setIsEditing(false)} />
      )}
    </Section>
  );
}

const LABELS = {
  off: { tone: 'neutral', label: 'Off' },
  on: { tone: 'good', label: 'On' },
  charging: { tone: 'neutral', label: 'A charge is under way' },
  paused: { tone: 'warn', label: 'Paused' },
} as const;

function State({ topUp, onChangeCard }: { topUp: AutomaticTopUp; onChangeCard: () => void }) {
  const [zone] = useZone();
  const { state, rule, month, resumes_at, confirm } = topUp;
  const { tone, label } = LABELS[state];
  const pause = pauseText(topUp, resumes_at === null ? '' : `at ${exactTime(resumes_at, zone)}`);
  return (
    <>
      {pause !== null && (
        <Note
          tone={pause.tone === 'bad' ? 'bad' : 'warn'}
          title={pause.title}
          action={
            confirm !== null ? (
              <ConfirmPayment confirm={confirm} />
            ) : pause.needsCard ? (
              <Button onPress={onChangeCard}>Choose a card</Button>
            ) : (
              <Resume />
            )
          }
        >
          {pause.text}
          {confirm !== null && ` It can be confirmed until ${exactTime(confirm.until, zone)}.`}
        </Note>
      )}
      <p aria-live="polite">
        <Badge tone={tone}>{label}</Badge>{' '}
        {rule === null ? (
          <span className="muted">A saved card can be charged by itself when the balance falls to an amount.</span>
        ) : (
          <>
            {ruleText(rule)} This month: {paidMoney(month)}.
          </>
        )}
      </p>
    </>
  );
}

function SwitchOff() {
  const { accountId } = useAccount();
  const remove = useChange('DELETE /accounts/{account_id}/automatic-top-up', {
    failed: 'Automatic top-up was not switched off.',
    what: () => 'Switching automatic top-up off',
    invalidates: [ROUTE],
  });
  return (
    <Button
      pending={remove.isPending && 'Switching off'}
      onPress={() =>
        remove.mutate(
          { path: { account_id: accountId } },
          { onSuccess: () => toast({ kind: 'done', message: 'Automatic top-up is off.' }) },
        )
      }
    >
      Switch off
    </Button>
  );
}

function Resume() {
  const { accountId } = useAccount();
  const resume = useChange('POST /accounts/{account_id}/automatic-top-up/resume', {
    failed: 'Automatic top-up was not resumed.',
    what: () => 'Resuming automatic top-up',
    invalidates: [ROUTE],
  });
  return (
    <Button
      pending={resume.isPending && 'Resuming'}
      onPress={() =>
        resume.mutate(
          { path: { account_id: accountId } },
          { onSuccess: () => toast({ kind: 'done', message: 'Automatic top-up goes on.' }) },
        )
      }
    >
      Resume
    </Button>
  );
}
