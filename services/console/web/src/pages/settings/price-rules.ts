import { MAX_PRICE_RULES, markupOf, ownRate, type PriceRule } from '@tollgate/common/billing/price-rules';
import { parsePercent } from '@tollgate/common/money';
import { parseMoney, toMoney } from '../../format/money.ts';
import type { Account } from './settings-page.tsx';

/** A rule while it is edited. */
export interface RuleDraft {
  id: number;
  model: string;
  percent: string;
}

export const MAX_RULES = MAX_PRICE_RULES;
/** Models that the preview shows. */
const PREVIEWED = 8;

export function draftsOf(account: Account): RuleDraft[] {
  const rules = account.price_rules ?? [];
  return rules.map(({ model, markup_percent }, id) => ({ id, model, percent: markup_percent }));
}

/** Parts per million of a text such as `+20` or `-10 %`; undefined: it is none, or out of bounds. */
export function markupIn(text: string): number | undefined {
  const ppm = parsePercent(text.replace(/^\s*\+|\s*%?\s*$/g, '').trim());
  return ppm !== undefined && ppm >= -1_000_000 && ppm <= 10_000_000 ? ppm : undefined;
}

/** The form of a request. */
export function rulesOf(drafts: readonly RuleDraft[]): NonNullable<Account['price_rules']> {
  return drafts.map(({ model, percent }) => ({
    model: model.trim(),
    markup_percent: percent.replace(/^\s*\+|\s*%?\s*$/g, '').trim(),
  }));
}

/** The drafts with one moved before the one above it. */
export function movedUp(drafts: readonly RuleDraft[], at: number): RuleDraft[] {
  const moved = [...drafts];
  const [one] = moved.splice(at, 1);
  if (one !== undefined) moved.splice(at - 1, 0, one);
  return moved;
}

/** A model with a price in force. */
export interface ListedModel {
  model: string;
  price: { rates: Readonly<Record<string, string>> } | null;
}

/** What a model costs an account. */
export interface Preview {
  model: string;
  /** Input and output, dollars per million. */
  list: readonly string[];
  own: readonly string[];
}

/** What the first models with another price would cost; of rules that are complete. */
export function previewOf(models: readonly ListedModel[], drafts: readonly RuleDraft[]): Preview[] {
  const rules: PriceRule[] = drafts.flatMap(({ model, percent }) => {
    const markupPpm = markupIn(percent);
    return model.trim() === '' || markupPpm === undefined ? [] : [{ model: model.trim(), markupPpm }];
  });
  return models
    .flatMap(({ model, price }) => {
      const markupPpm = markupOf(rules, model);
      const list = ['input', 'output'].flatMap((bucket) => price?.rates[bucket] ?? []);
      if (markupPpm === 0 || list.length === 0) return [];
      return [{ model, list, own: list.map((rate) => toMoney(ownRate(parseMoney(rate), markupPpm))) }];
    })
    .slice(0, PREVIEWED);
}
