import type { Input } from '../../api/client.ts';
import { paidMoney, parseMoney, toMoney } from '../../format/money.ts';
import type { AutomaticTopUp } from './automatic-text.ts';
import { ENTER_CENTS, readCents, typedAs } from './cents.ts';

type Rule = Input<'PUT /accounts/{account_id}/automatic-top-up'>['body'];
const AMOUNTS = ['threshold', 'target', 'monthly_max'] as const;

/** What the form shows, as it was typed. */
export type AutomaticDraft = Readonly<Record<keyof Rule, string>>;

/** What to begin with: what is in force, or a suggestion above the least payment. */
export function firstDraft({ rule }: AutomaticTopUp, minAmount: string, methodId: string): AutomaticDraft {
  const times = (count: bigint) => typedAs(toMoney(parseMoney(minAmount) * count));
  return rule === null
    ? { threshold: times(1n), target: times(5n), monthly_max: times(20n), method_id: methodId }
    : {
        threshold: typedAs(rule.threshold),
        target: typedAs(rule.target),
        monthly_max: typedAs(rule.monthly_max),
        method_id: methodId,
      };
}

/** Reads the form: what to save, or what is wrong with each field. */
export function readAutomatic(
  draft: AutomaticDraft,
  minAmount: string,
): { rule: Rule; errors: null } | { rule: null; errors: Partial<Record<keyof Rule, string>> } {
  const errors: Partial<Record<keyof Rule, string>> = {};
  const [threshold, target, monthly_max] = AMOUNTS.map((field) => {
    const amount = readCents(draft[field]);
    if (amount === null) errors[field] = ENTER_CENTS;
    return amount ?? '0';
  }) as [string, string, string];
  const step = parseMoney(target) - parseMoney(threshold);
  if (Object.keys(errors).length === 0) {
    if (step < parseMoney(minAmount)) errors.target = `Must be at least ${paidMoney(minAmount)} above the threshold.`;
    else if (parseMoney(monthly_max) < step) errors.monthly_max = `Must be at least ${paidMoney(toMoney(step))}.`;
  }
  if (draft.method_id === '') errors.method_id = 'Choose a saved card.';
  if (Object.keys(errors).length > 0) return { rule: null, errors };
  return { rule: { threshold, target, monthly_max, method_id: draft.method_id }, errors: null };
}
