import { trimZeros } from '../decimal.ts';
import { checked, type Errors, type Limits, readAmount } from './draft.ts';

/** What a project sets for each of what is below it; an owner for their keys and sessions, and a key for its sessions. */
export interface Defaults {
  each_key: Limits['caps'];
  each_member: Limits['caps'];
  each_service_account: Limits['caps'];
  /** Dollars; null: no maximum. */
  each_session: string | null;
}

/** What a change of them sends: what is left out stays. */
export type DefaultsChanges = Partial<Omit<Defaults, 'each_session'>> & { each_session?: string };

export const CAPPED = ['each_key', 'each_member', 'each_service_account'] as const;
export const PERIODS = ['day', 'week', 'month', 'total'] as const;

/** The texts of a form, by the names that the API gives fields, such as `each_key.day`. */
export type DefaultsDraft = Readonly<Record<string, string>>;

/** The names of all fields. */
export const DEFAULT_FIELDS: readonly string[] = [
  ...CAPPED.flatMap((group) => PERIODS.map((period) => `${group}.${period}`)),
  'each_session',
];

/** @param defaults what is left out is not set here */
export function defaultsDraftOf(defaults: Partial<Defaults>): DefaultsDraft {
  const text = (amount: string | null | undefined) => (amount ? trimZeros(amount) : '');
  const caps = CAPPED.flatMap((group) =>
    PERIODS.map((period): [string, string] => [`${group}.${period}`, text(defaults[group]?.[period])]),
  );
  return { ...Object.fromEntries(caps), each_session: text(defaults.each_session) };
}

/** The groups of a draft that differ. What is wrong goes to `errors`, by field. */
export function defaultsChanges(before: DefaultsDraft, draft: DefaultsDraft, errors: Errors): DefaultsChanges {
  const isChanged = (name: string) => before[name] !== draft[name];
  const amount = (name: string) => checked(errors, name, readAmount(draft[name] ?? ''));
  const changes: DefaultsChanges = {};
  for (const group of CAPPED) {
    if (!PERIODS.some((period) => isChanged(`${group}.${period}`))) continue;
    const [day = null, week = null, month = null, total = null] = PERIODS.map((period) => amount(`${group}.${period}`));
    changes[group] = { day, week, month, total };
  }
  // The API takes 0 for none.
  if (isChanged('each_session')) changes.each_session = amount('each_session') ?? '0';
  return changes;
}
