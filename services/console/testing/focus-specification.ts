/** What the specification asks of a column. */
interface ColumnRule {
  level: 'mandatory' | 'conditional' | 'recommended' | 'custom';
  type: 'string' | 'decimal' | 'time' | 'currency' | 'json';
  /** Undefined: never. */
  mayBeNull?: boolean;
  values?: readonly string[];
}

type Row = Readonly<Record<string, string | null>>;

/**
 * The columns of FOCUS 1.2 that are mandatory, and those whose condition holds here or that are recommended; the two that
 * 1.3 adds beside names that it deprecates; and our own. By the specification's text, not by our code.
 */
export const FOCUS_COLUMN_RULES: Readonly<Record<string, ColumnRule>> = {
  BilledCost: { level: 'mandatory', type: 'decimal' },
  BillingAccountId: { level: 'mandatory', type: 'string' },
  BillingAccountName: { level: 'mandatory', type: 'string', mayBeNull: true },
  BillingCurrency: { level: 'mandatory', type: 'currency' },
  BillingPeriodEnd: { level: 'mandatory', type: 'time' },
  BillingPeriodStart: { level: 'mandatory', type: 'time' },
  ChargeCategory: {
    level: 'mandatory',
    type: 'string',
    values: ['Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment'],
  },
  ChargeClass: { level: 'mandatory', type: 'string', mayBeNull: true, values: ['Correction'] },
  ChargeDescription: { level: 'mandatory', type: 'string', mayBeNull: true },
  ChargeFrequency: { level: 'recommended', type: 'string', values: ['One-Time', 'Recurring', 'Usage-Based'] },
  ChargePeriodEnd: { level: 'mandatory', type: 'time' },
  ChargePeriodStart: { level: 'mandatory', type: 'time' },
  ConsumedQuantity: { level: 'conditional', type: 'decimal', mayBeNull: true },
  ConsumedUnit: { level: 'conditional', type: 'string', mayBeNull: true },
  ContractedCost: { level: 'mandatory', type: 'decimal' },
  ContractedUnitPrice: { level: 'conditional', type: 'decimal', mayBeNull: true },
  EffectiveCost: { level: 'mandatory', type: 'decimal' },
  HostProviderName: { level: 'mandatory', type: 'string' },
  InvoiceId: { level: 'recommended', type: 'string', mayBeNull: true },
  InvoiceIssuerName: { level: 'mandatory', type: 'string' },
  ListCost: { level: 'mandatory', type: 'decimal' },
  ListUnitPrice: { level: 'conditional', type: 'decimal', mayBeNull: true },
  PricingCategory: {
    level: 'conditional',
    type: 'string',
    mayBeNull: true,
    values: ['Standard', 'Dynamic', 'Committed', 'Other'],
  },
  PricingQuantity: { level: 'mandatory', type: 'decimal', mayBeNull: true },
  PricingUnit: { level: 'mandatory', type: 'string', mayBeNull: true },
  ProviderName: { level: 'mandatory', type: 'string' },
  PublisherName: { level: 'mandatory', type: 'string' },
  ResourceId: { level: 'conditional', type: 'string', mayBeNull: true },
  ResourceName: { level: 'conditional', type: 'string', mayBeNull: true },
  ResourceType: { level: 'conditional', type: 'string', mayBeNull: true },
  ServiceCategory: { level: 'mandatory', type: 'string', values: ['AI and Machine Learning'] },
  ServiceName: { level: 'mandatory', type: 'string' },
  ServiceProviderName: { level: 'mandatory', type: 'string' },
  ServiceSubcategory: {
    level: 'recommended',
    type: 'string',
    values: [
      'AI Platforms',
      'Bots',
      'Generative AI',
      'Machine Learning',
      'Natural Language Processing',
      'Other (AI and Machine Learning)',
    ],
  },
  SkuId: { level: 'conditional', type: 'string', mayBeNull: true },
  SkuMeter: { level: 'conditional', type: 'string', mayBeNull: true },
  SkuPriceDetails: { level: 'conditional', type: 'json', mayBeNull: true },
  SkuPriceId: { level: 'conditional', type: 'string', mayBeNull: true },
  SubAccountId: { level: 'conditional', type: 'string', mayBeNull: true },
  SubAccountName: { level: 'conditional', type: 'string', mayBeNull: true },
  Tags: { level: 'conditional', type: 'json', mayBeNull: true },
  x_DiscountPercent: { level: 'custom', type: 'decimal' },
};

/** Columns that usage must have, and that stand or fall together otherwise. */
const OF_USAGE = ['ConsumedQuantity', 'PricingQuantity', 'ListUnitPrice', 'ContractedUnitPrice', 'SkuId', 'SkuPriceId'];
const TOGETHER = [
  ['ConsumedQuantity', 'ConsumedUnit'],
  ['PricingQuantity', 'PricingUnit'],
  ['ResourceId', 'ResourceType'],
  ['SubAccountId', 'SubAccountName'],
  ['SkuId', 'SkuMeter'],
] as const;

const FORMS = {
  string: /\S/,
  decimal: /^-?\d+(\.\d+)?$/,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  currency: /^[A-Z]{3}$/,
  json: /^\{.*\}$/s,
} as const;

/** What of a row does not follow the specification. */
export function focusProblems(row: Row): string[] {
  const problems: string[] = [];
  for (const [name, rule] of Object.entries(FOCUS_COLUMN_RULES)) {
    const value = row[name];
    if (value === undefined) problems.push(`${name} is missing`);
    else if (value === null) problems.push(...(rule.mayBeNull === true ? [] : [`${name} is null`]));
    else if (!FORMS[rule.type].test(value)) problems.push(`${name} is no ${rule.type}: ${value}`);
    else if (rule.values?.includes(value) === false) problems.push(`${name} is not allowed: ${value}`);
    else if (rule.type === 'json' && !isFlat(JSON.parse(value))) problems.push(`${name} is not flat: ${value}`);
  }
  for (const name of Object.keys(row)) if (!(name in FOCUS_COLUMN_RULES)) problems.push(`${name} is not known`);
  for (const [one, other] of TOGETHER)
    if ((row[one] === null) !== (row[other] === null)) problems.push(`only one of ${one} and ${other} is null`);
  if (row['ChargeCategory'] === 'Usage')
    problems.push(...OF_USAGE.filter((name) => row[name] === null).map((name) => `${name} is null`));
  else if (row['ConsumedQuantity'] !== null) problems.push('ConsumedQuantity is for usage');
  problems.push(...costProblems(row));
  return problems;
}

/** Costs are the exact product of price and quantity, or the billed cost where there is no price. */
function costProblems(row: Row): string[] {
  const pairs = [
    ['ListCost', 'ListUnitPrice'],
    ['ContractedCost', 'ContractedUnitPrice'],
  ] as const;
  return pairs.flatMap(([cost, price]) => {
    const expected = row[price] === null ? row['BilledCost'] : product(row[price], row['PricingQuantity']);
    return scaled(row[cost]) === scaled(expected) ? [] : [`${cost} is ${row[cost]}, not ${expected}`];
  });
}

/** Decimals of the longest number, and more. */
const DIGITS = 30;

function scaled(text: string | null | undefined): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text ?? '') ?? [];
  if (whole === '' || fraction.length > DIGITS) throw new Error(`${text} is no decimal`);
  return BigInt(`${sign}${whole}${fraction.padEnd(DIGITS, '0')}`);
}

function product(one: string | null | undefined, other: string | null | undefined): string {
  const digits = (scaled(one) * scaled(other)).toString().padStart(2 * DIGITS + 1, '0');
  const fraction = digits.slice(-2 * DIGITS);
  if (/[1-9]/.test(fraction.slice(DIGITS))) throw new Error('the product has too many decimals');
  return `${digits.slice(0, -2 * DIGITS)}.${fraction.slice(0, DIGITS)}`;
}

function isFlat(value: object): boolean {
  return Object.values(value).every((each) => each === null || typeof each !== 'object');
}

/** The sum of decimals of dollars, in nano-dollars; throws if one has a fraction of those. */
export function nanosOf(texts: readonly (string | null | undefined)[]): bigint {
  const perNano = 10n ** BigInt(DIGITS - 9);
  return texts.reduce((sum, text) => {
    const value = scaled(text);
    if (value % perNano !== 0n) throw new Error(`${text} has more than nine decimals`);
    return sum + value / perNano;
  }, 0n);
}
