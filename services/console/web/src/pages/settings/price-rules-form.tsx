import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import { CrossIcon } from '../../components/icons.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { rateText } from '../models/prices.ts';
import {
  draftsOf,
  MAX_RULES,
  markupIn,
  movedUp,
  type Preview,
  previewOf,
  type RuleDraft,
  rulesOf,
} from './price-rules.ts';
import styles from './settings.module.css';
import type { Account } from './settings-page.tsx';
import { useUpdateAccount } from './update.ts';

/** Prices of the account's own, for operators. */
export function PriceRulesForm({ account }: { account: Account }) {
  /** Null: nothing is edited, and the form shows what is in force. */
  const [edited, setDrafts] = useState<RuleDraft[] | null>(null);
  const drafts = edited ?? draftsOf(account);
  const update = useUpdateAccount(account, 'The prices are changed. They apply to requests that start from now on.');
  const change = (id: number, part: Partial<RuleDraft>) =>
    setDrafts(drafts.map((each) => (each.id === id ? { ...each, ...part } : each)));
  const nextId = Math.max(-1, ...drafts.map(({ id }) => id)) + 1;
  return (
    <div className={forms['narrow']}>
      <CallForm
        failed="The prices were not changed."
        error={update.error}
        fields={drafts.flatMap((_, at) => [`price_rules[${at}].model`, `price_rules[${at}].markup_percent`])}
        onSubmit={() => update.save({ price_rules: rulesOf(drafts) }, () => setDrafts(null))}
      >
        {drafts.map(({ id, model, percent }, at) => (
          <div key={id} className={styles['rule']}>
            <TextField
              label={`Models of rule ${at + 1}`}
              hideLabel
              name={`price_rules[${at}].model`}
              placeholder="claude-*"
              mono
              maxLength={200}
              value={model}
              onChange={(next) => change(id, { model: next })}
              validate={(text) => (text.trim() === '' ? 'Enter the id of a model, with * for any text.' : null)}
            />
            <TextField
              label={`Change of rule ${at + 1}`}
              hideLabel
              name={`price_rules[${at}].markup_percent`}
              placeholder="20 or -10"
              suffix="%"
              value={percent}
              onChange={(next) => change(id, { percent: next })}
              validate={(text) =>
                markupIn(text) === undefined ? 'Enter -100 to 1000 with at most 4 decimals, such as 20 or -12.5.' : null
              }
            />
            <Button
              look="quiet"
              aria-label={`Move rule ${at + 1} up`}
              isDisabled={at === 0}
              onPress={() => setDrafts(movedUp(drafts, at))}
            >
              ↑
            </Button>
            <Button
              look="quiet"
              aria-label={`Remove rule ${at + 1}`}
              onPress={() => setDrafts(drafts.filter((each) => each.id !== id))}
            >
              <CrossIcon />
            </Button>
          </div>
        ))}
        {drafts.length === 0 && <p className="muted">Without a rule, the account pays list prices.</p>}
        <RulesPreview drafts={drafts} />
        <div className={forms['submit']}>
          {drafts.length < MAX_RULES && (
            <Button onPress={() => setDrafts([...drafts, { id: nextId, model: '', percent: '' }])}>Add rule</Button>
          )}
          <Button type="submit" isDisabled={edited === null} pending={update.isPending && 'Saving'}>
            Save prices
          </Button>
        </div>
      </CallForm>
    </div>
  );
}

const rates = (list: readonly string[]) => list.map(rateText).join(' / ');
const COLUMNS: readonly Column<Preview>[] = [
  { id: 'model', title: 'Model', cell: ({ model }) => model },
  { id: 'list', title: 'List price', cell: ({ list }) => rates(list), align: 'end', width: 140, phone: 'detail' },
  { id: 'own', title: 'This account', cell: ({ own }) => rates(own), align: 'end', width: 140, phone: 'value' },
];

/** What some models would cost, by the rules as they are edited. */
function RulesPreview({ drafts }: { drafts: readonly RuleDraft[] }) {
  const models = useRead('GET /operator/models', {});
  const rows = previewOf(models.data?.data ?? [], drafts);
  if (rows.length === 0) return null;
  return (
    <div className="stack">
      <p className="muted small">Input / output, US dollars per million tokens, before the discount:</p>
      <Table label="Preview of prices" columns={COLUMNS} rows={rows} rowId={({ model }) => model} />
    </div>
  );
}
