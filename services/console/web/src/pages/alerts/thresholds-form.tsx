import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { patch, useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import { CrossIcon } from '../../components/icons.tsx';
import { toast } from '../../components/toast.tsx';
import { parseMoney, shortMoney, toMoney } from '../../format/money.ts';
import styles from './alerts.module.css';
import type { Alerts } from './alerts-page.tsx';

const MAX_THRESHOLDS = 10;

interface Draft {
  id: number;
  value: string;
}

export function ThresholdsForm({ alerts }: { alerts: Alerts }) {
  const { accountId, may } = useAccount();
  /** Null: nothing is edited, and the form shows what is in force. */
  const [edited, setDrafts] = useState<Draft[] | null>(null);
  const drafts = edited ?? alerts.thresholds.map((value, id) => ({ id, value }));
  const change = useChange('PUT /accounts/{account_id}/alerts', {
    failed: null,
    what: () => 'The change of the thresholds',
    invalidates: ['GET /accounts/{account_id}/alerts'],
    optimistic: ({ body }) =>
      body.thresholds === null
        ? []
        : [
            patch('GET /accounts/{account_id}/alerts', (before) => ({
              ...before,
              own: true,
              thresholds: body.thresholds ?? before.thresholds,
            })),
          ],
  });
  const save = (thresholds: string[] | null, done: string) =>
    change.mutate(
      { path: { account_id: accountId }, body: { thresholds } },
      {
        onSuccess: () => {
          setDrafts(null);
          toast({ kind: 'done', message: done });
        },
      },
    );

  if (!may('operator', 'owner', 'billing')) {
    return <p>{alerts.thresholds.map((amount) => shortMoney(amount)).join(', ') || 'None'}</p>;
  }
  return (
    <div className={forms['narrow']}>
      <CallForm
        failed="The thresholds were not changed."
        error={change.error}
        fields={drafts.map((_, index) => `thresholds.${index}`)}
        onSubmit={() => save(sorted(drafts.map(({ value }) => value)), 'The thresholds are changed.')}
      >
        {drafts.map(({ id, value }, index) => (
          <div key={id} className={styles['threshold']}>
            <TextField
              label={`Threshold ${index + 1}`}
              hideLabel
              name={`thresholds.${index}`}
              inputMode="decimal"
              prefix="$"
              value={value}
              onChange={(next) => setDrafts(drafts.map((each) => (each.id === id ? { id, value: next } : each)))}
              validate={(text) => (isAmount(text) ? null : 'Enter an amount such as 20 or 7.50.')}
              isRequired
            />
            <Button
              look="quiet"
              aria-label={`Remove threshold ${index + 1}`}
              onPress={() => setDrafts(drafts.filter((each) => each.id !== id))}
            >
              <CrossIcon />
            </Button>
          </div>
        ))}
        {drafts.length === 0 && (
          <p className="muted">
            {alerts.own || edited !== null
              ? 'Without a threshold, there is no alert of a low balance.'
              : 'There are no default thresholds, so there is no alert of a low balance.'}
          </p>
        )}
        <div className={forms['submit']}>
          {edited !== null && (
            <Button type="submit" look="primary" pending={change.isPending && 'Saving'}>
              Save thresholds
            </Button>
          )}
          {drafts.length < MAX_THRESHOLDS && (
            <Button
              onPress={() =>
                setDrafts([...drafts, { id: Math.max(-1, ...drafts.map((each) => each.id)) + 1, value: '' }])
              }
            >
              Add threshold
            </Button>
          )}
          {alerts.own && (
            <Button look="quiet" onPress={() => save(null, 'The default thresholds apply again.')}>
              Use the defaults
            </Button>
          )}
        </div>
        {!alerts.own && edited === null && drafts.length > 0 && (
          <p className="muted small">These are the defaults. They apply until you save your own.</p>
        )}
      </CallForm>
    </div>
  );
}

function isAmount(text: string): boolean {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text.trim());
}

/** Highest first, as the API returns them. */
function sorted(amounts: readonly string[]): string[] {
  const nanos = amounts.map((amount) => parseMoney(amount.trim()));
  return nanos.sort((left, right) => (left < right ? 1 : left > right ? -1 : 0)).map(toMoney);
}
