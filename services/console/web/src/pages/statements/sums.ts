import type { Item } from '../../api/client.ts';
import { addMoney, compareMoney } from '../../format/money.ts';

export type Line = Item<'GET /accounts/{account_id}/statements/{month}/lines'>;

/** What a model cost in a statement. */
export interface ModelSum {
  model: string;
  requests: number;
  amount: string;
}

/** Charges by model, most expensive first: charges are below 0. */
export function sumByModel(lines: readonly Line[]): ModelSum[] {
  const sums = new Map<string, ModelSum>();
  for (const { kind, model, requests, amount } of lines) {
    if (kind !== 'charges') continue;
    const name = model ?? '';
    const sum = sums.get(name) ?? { model: name, requests: 0, amount: '0' };
    sums.set(name, {
      model: name,
      requests: sum.requests + (requests ?? 0),
      amount: addMoney(sum.amount, amount),
    });
  }
  return [...sums.values()].sort((left, right) => compareMoney(left.amount, right.amount));
}
