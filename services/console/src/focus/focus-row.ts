import { isItemBucket } from '@tollgate/common/billing/buckets';
import { parsePriceVersion } from '@tollgate/common/billing/price-version';
import { CURRENCY, FULL_DISCOUNT_PPM, formatDecimal, formatDollars, formatPercent } from '@tollgate/common/money';
import type { FocusRow } from '@tollgate/proto/api-types';
import type { LineSum } from './day-sums.ts';
import { DAY_MS, nextMonth } from './focus-range.ts';

/** Whose charges, and on what day. */
export interface FocusDay {
  accountId: string;
  accountName: string;
  /** Its start, Unix milliseconds. */
  dayMs: number;
}

/** Who sells the models, in the columns that name companies. */
const SELLER = 'Tollgate';

/** Nouns of the buckets of items, as the specification writes units. */
const ITEMS: Readonly<Record<string, string>> = {
  image: 'Images',
  search: 'Searches',
  fetch: 'Fetches',
  request: 'Requests',
};

/** Prices are listed for a million tokens, or a thousand items: the digits of these. */
const PRICED_DIGITS = { tokens: 6, items: 3 } as const;

/** Decimals of rates (nano-dollars per million), and of rates less a discount in parts per million. */
const RATE_DIGITS = 15;
const DISCOUNTED_DIGITS = 21;

/** A row of FOCUS for a sum of charges. */
export function focusRow(sum: LineSum, day: FocusDay): FocusRow {
  const { of, bucket, amountNanos } = sum;
  const charged = formatDollars(amountNanos);
  const row = { ...commonColumns(sum, day), BilledCost: charged, EffectiveCost: charged };
  return bucket === '' ? { ...row, ...adjustment(of.model, charged) } : { ...row, ...usage(sum) };
}

type CostColumn = 'BilledCost' | 'EffectiveCost';
type UsageColumn =
  | 'ChargeCategory'
  | 'ChargeDescription'
  | 'ConsumedQuantity'
  | 'ConsumedUnit'
  | 'ContractedCost'
  | 'ContractedUnitPrice'
  | 'ListCost'
  | 'ListUnitPrice'
  | 'PricingCategory'
  | 'PricingQuantity'
  | 'PricingUnit'
  | 'SkuId'
  | 'SkuMeter'
  | 'SkuPriceDetails'
  | 'SkuPriceId';

/** Columns that do not depend on the kind of a row. */
function commonColumns({ of }: LineSum, { accountId, accountName, dayMs }: FocusDay) {
  const day = new Date(dayMs);
  return {
    BillingAccountId: accountId,
    BillingAccountName: accountName,
    BillingCurrency: CURRENCY,
    BillingPeriodEnd: timeText(nextMonth(day)),
    BillingPeriodStart: timeText(Date.UTC(day.getUTCFullYear(), day.getUTCMonth())),
    ChargeClass: null,
    ChargeFrequency: 'Usage-Based',
    ChargePeriodEnd: timeText(dayMs + DAY_MS),
    ChargePeriodStart: timeText(dayMs),
    HostProviderName: of.provider,
    InvoiceId: null,
    InvoiceIssuerName: SELLER,
    ProviderName: SELLER,
    PublisherName: of.provider,
    ResourceId: of.keyId,
    ResourceName: of.keyName === '' ? null : of.keyName,
    ResourceType: 'API key',
    ServiceCategory: 'AI and Machine Learning',
    ServiceName: of.model,
    ServiceProviderName: SELLER,
    ServiceSubcategory: 'Generative AI',
    SubAccountId: null,
    SubAccountName: null,
    Tags: Object.keys(of.tags).length === 0 ? null : JSON.stringify(of.tags),
    x_DiscountPercent: formatPercent(of.discountPpm),
  } satisfies Omit<FocusRow, CostColumn | UsageColumn>;
}

/**
 * Columns of usage. The specification wants costs to be the product of price and quantity, so list and contracted cost have more
 * decimals than the charges, which are rounded to the nano-dollar for each request. Of a price of the account's own, operators get
 * the list price, and the account its own: that is the one published to it.
 */
function usage({ of, bucket, quantity, ...line }: LineSum): Pick<FocusRow, UsageColumn> {
  const { rateNanosPerMillion: rate, listRateNanosPerMillion: listRate = rate } = line;
  const isItem = isItemBucket(bucket);
  const digits = PRICED_DIGITS[isItem ? 'items' : 'tokens'];
  const unit = isItem ? (ITEMS[bucket] ?? 'Units') : 'Tokens';
  const pricingUnit = `${10 ** digits} ${unit}`;
  const discounted = rate * BigInt(FULL_DISCOUNT_PPM - of.discountPpm);
  const price = formatDecimal(rate, RATE_DIGITS - digits);
  const listPrice = formatDecimal(listRate, RATE_DIGITS - digits);
  const discount = of.discountPpm === 0 ? '' : `, less ${formatPercent(of.discountPpm)} %`;
  return {
    ChargeCategory: 'Usage',
    ChargeDescription: `${of.model}: ${bucket} at ${price} ${CURRENCY} per ${pricingUnit}${discount}`,
    ConsumedQuantity: String(quantity),
    ConsumedUnit: unit,
    ContractedCost: formatDecimal(quantity * discounted, DISCOUNTED_DIGITS),
    ContractedUnitPrice: formatDecimal(discounted, DISCOUNTED_DIGITS - digits),
    ListCost: formatDecimal(quantity * listRate, RATE_DIGITS),
    ListUnitPrice: listPrice,
    PricingCategory: 'Standard',
    PricingQuantity: formatDecimal(quantity, digits),
    PricingUnit: pricingUnit,
    SkuId: `${of.model}/${bucket}`,
    SkuMeter: bucket,
    SkuPriceDetails: priceDetails(of.priceVersion),
    SkuPriceId: `${of.model}/${bucket}/${of.priceVersion}/${listPrice}`,
  };
}

/** Columns of what the customer did not pay. It has no price, so all costs are the same. */
function adjustment(model: string, charged: string): Pick<FocusRow, UsageColumn> {
  return {
    ChargeCategory: 'Adjustment',
    ChargeDescription: `${model}: cost of requests beyond what was held for them, not charged`,
    ConsumedQuantity: null,
    ConsumedUnit: null,
    ContractedCost: charged,
    ContractedUnitPrice: null,
    ListCost: charged,
    ListUnitPrice: null,
    PricingCategory: null,
    PricingQuantity: null,
    PricingUnit: null,
    SkuId: null,
    SkuMeter: null,
    SkuPriceDetails: null,
    SkuPriceId: null,
  };
}

/** What decided the price. Own properties begin with `x_`, and have texts: numbers would stand for one pricing unit. */
function priceDetails(priceVersion: string): string {
  const { version, aboveInputTokens, options } = parsePriceVersion(priceVersion);
  return JSON.stringify({
    x_PriceVersion: version,
    ...(aboveInputTokens === 0 ? {} : { x_AboveInputTokens: String(aboveInputTokens) }),
    ...Object.fromEntries(Object.entries(options).map(([name, value]) => [`x_${pascalCase(name)}`, value])),
  });
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** As the specification writes times: without fractions of a second. */
function timeText(unixMs: number): string {
  return new Date(unixMs).toISOString().replace('.000Z', 'Z');
}
