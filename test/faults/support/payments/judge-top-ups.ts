/** A fall of a balance, as payments has recorded it. */
export interface Crossing {
  account: string;
  number: bigint;
  payment: string;
  outcome: string;
  balanceCents: number;
  amountCents: number;
  /** The UTC month in which it was decided. */
  month: string;
}

/** What Stripe was asked to charge without the cardholder. */
export interface Charge {
  id: string;
  payment: string;
  cents: number;
  isPaid: boolean;
}

/** A movement of the ledger. */
export interface Entry {
  account: string;
  key: string;
  cents: number;
  atMs: number;
}

export interface Books {
  /** By account and number. */
  crossings: readonly Crossing[];
  charges: readonly Charge[];
  /** In the order of their times. */
  entries: readonly Entry[];
  /** By account. */
  monthlyMaxCents: ReadonlyMap<string, number>;
}

/** Movements of an account that were made so close together may have been committed in another order. */
const AT_ONCE_MS = 100;
/** Movements at once of which all orders are looked at. */
const MAX_AT_ONCE = 12;

/** What is wrong with automatic top-ups once everything has settled; empty: nothing. */
export function judgeTopUps(books: Books): string[] {
  const charges = Map.groupBy(books.charges, ({ payment }) => payment);
  return [...brokenCharges(books, charges), ...brokenMonths(books, charges), ...brokenBalances(books, charges)];
}

type ByPayment = ReadonlyMap<string, readonly Charge[]>;

/** Each crossing is charged at most once, what was decided, and nothing else is charged. */
function brokenCharges({ crossings }: Books, charges: ByPayment): string[] {
  const known = new Map(crossings.map((crossing) => [crossing.payment, crossing]));
  const strange = [...charges.keys()].filter((payment) => !known.has(payment));
  const broken = crossings.flatMap((crossing) => {
    const [charge, second] = charges.get(crossing.payment) ?? [];
    const place = placeOf(crossing);
    if (second !== undefined) return [`${place} is charged more than once`];
    if (charge !== undefined && charge.cents !== crossing.amountCents)
      return [`${place} is charged ${charge.cents} cents`];
    const isPaid = charge?.isPaid ?? false;
    return isPaid === (crossing.outcome === 'settled') ? [] : [`${place} ended as ${crossing.outcome}`];
  });
  return [...strange.map((payment) => `payment ${payment} is charged without a crossing`), ...broken];
}

function brokenMonths({ crossings, monthlyMaxCents }: Books, charges: ByPayment): string[] {
  const months = Map.groupBy(crossings, ({ account, month }) => `${account} ${month}`);
  return [...months].flatMap(([place, own]) => {
    const paid = own.flatMap(({ payment }) => charges.get(payment) ?? []).filter(({ isPaid }) => isPaid);
    const cents = paid.reduce((sum, each) => sum + each.cents, 0);
    const max = monthlyMaxCents.get(own[0]?.account ?? '') ?? 0;
    return cents > max ? [`${place}: ${cents} cents are charged of at most ${max}`] : [];
  });
}

/** A charge under way is credit to come: the next one is decided of a balance that has it. */
function brokenBalances({ crossings, entries }: Books, charges: ByPayment): string[] {
  const entriesOf = Map.groupBy(entries, ({ account }) => account);
  return crossings.flatMap((crossing, index) => {
    const before = crossings[index - 1];
    if (before?.account !== crossing.account) return [];
    const credit = charges.get(before.payment)?.find(({ isPaid }) => isPaid);
    if (credit === undefined) return [];
    const own = entriesOf.get(crossing.account) ?? [];
    return hadBalance(own, `stripe:${credit.id}`, crossing.balanceCents)
      ? []
      : [`${placeOf(crossing)} was decided without the credit of the charge before`];
  });
}

/** Whether an account had a balance at some time after a certain movement. */
function hadBalance(entries: readonly Entry[], key: string, cents: number): boolean {
  return entries.some(({ atMs }) => {
    const isMade = (entry: Entry) =>
      entry.atMs < atMs - AT_ONCE_MS || (entry.key === key && entry.atMs <= atMs + AT_ONCE_MS);
    const made = entries.filter(isMade);
    if (!made.some((entry) => entry.key === key)) return false;
    const atOnce = entries.filter((entry) => !isMade(entry) && entry.atMs <= atMs + AT_ONCE_MS);
    if (atOnce.length > MAX_AT_ONCE) return true;
    let sums = [made.reduce((sum, entry) => sum + entry.cents, 0)];
    for (const entry of atOnce) sums = sums.flatMap((sum) => [sum, sum + entry.cents]);
    return sums.includes(cents);
  });
}

function placeOf({ account, number }: Crossing): string {
  return `crossing ${number} of ${account}`;
}
