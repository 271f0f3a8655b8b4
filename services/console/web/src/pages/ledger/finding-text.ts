import { exactMoney, toMoney } from '../../format/money.ts';
import { count } from '../../format/number.ts';
import type { LedgerStatus } from './ledger-page.tsx';

type Finding = Pick<LedgerStatus['findings'][number], 'invariant' | 'account_id' | 'place' | 'expected' | 'found'>;

/** What each invariant says when it does not hold; docs/operations/ledger.md explains them. */
const MEANINGS: Readonly<Record<string, string>> = {
  entries_sum_to_zero: 'The entries of the account do not sum to zero',
  balance_equals_entries: 'A stored balance differs from the sum of its entries',
  leased_equals_leases: 'The credit leased to ingresses differs from what their leases have left',
  lease_equals_entries: 'A lease of an ingress differs from its transfers and charges',
  cap_equals_charges: 'A cap differs from what was charged below it',
  node_usage_equals_charges: 'What was charged below a node differs from the charges that name it',
  nothing_negative: 'An amount is below zero',
  deposit_equals_transfers: 'Deposits differ from the money that they moved',
  lines_sum_to_cost: 'The lines of a charge do not sum to its cost',
  lines_sum_to_base_cost: 'The lines of a charge at list rates do not sum to its base cost',
  roll_up_equals_charges: 'The sums of usage differ from the charges in them',
  history_unchanged: 'Entries that were counted once have changed or are gone',
};

/** What does not hold. */
export function findingTitle(invariant: string): string {
  return MEANINGS[invariant] ?? invariant;
}

/** What is stored, and what it should be: `available is $9.99 and should be $9.98`. */
export function findingSentence({ place, expected, found }: Finding): string {
  const wanted = valuesOf(expected);
  const stored = valuesOf(found);
  if (stored === null) return 'It is missing.';
  if (wanted === null) return 'It should not exist.';
  const column = valuesOf(place)?.['column'] ?? 'it';
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(stored)])];
  const differences = names
    .filter((name) => wanted[name] !== stored[name])
    .map(
      (name) =>
        `${wordsOf(name === '' ? column : name)} is ${text(name, stored[name])} and should be ${text(name, wanted[name])}`,
    );
  const sentence = differences.join('; ');
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

/** The page of the key, request or deposit that a finding is about; null: there is none. */
export function findingHref({ account_id, place }: Finding): string | null {
  const { request_id: request, key_id: key, deposit_id: deposit } = valuesOf(place) ?? {};
  const base = `/accounts/${account_id}`;
  if (request !== undefined) return `${base}/requests/${request}`;
  if (key !== undefined) return `${base}/keys/${key}`;
  return deposit === undefined ? null : `${base}/top-up`;
}

/** Texts by name; of a number alone, by no name. Null: there is no row. Amounts may be larger than numbers are exact. */
function valuesOf(json: string): Record<string, string> | null {
  if (json === '' || json === 'null') return null;
  const values: unknown = JSON.parse(json.replace(/(^|[:,[\s])(-?\d+)(?=[,}\]\s]|$)/g, '$1"$2"'));
  if (typeof values !== 'object' || values === null) return { '': String(values) };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

const AMOUNTS = ['', 'granted', 'spent', 'returned', 'leased'];

function text(name: string, value: string | undefined): string {
  if (value === undefined) return 'nothing';
  if (!/^-?\d+$/.test(value)) return value;
  return AMOUNTS.includes(name) || name.endsWith('nanos') ? exactMoney(toMoney(BigInt(value))) : count(Number(value));
}

/** `charged_nanos` as `charged`. */
function wordsOf(name: string): string {
  return name.replace(/_nanos$/, '').replaceAll('_', ' ');
}
