import { isUuid } from '@tollgate/common/ids';

/** Where a payment was begun and what for: travels with it at the payment provider, so that it can be booked without our row. */
export interface Origin {
  installationId: string;
  accountId: string;
  paymentId: string;
  /** The credit to buy. */
  creditNanos: bigint;
  /** The number of the crossing that is charged, or whose charge is confirmed; undefined: a person began the payment. */
  crossing?: bigint | undefined;
}

const INSTALLATION = 'tollgate_installation';
const ACCOUNT = 'tollgate_account';
const PAYMENT = 'tollgate_payment';
const CREDIT = 'tollgate_credit_nanos';
const CROSSING = 'tollgate_crossing';
const REFUND = 'tollgate_refund';

type Metadata = Readonly<Record<string, string>>;

/** The metadata of a payment. */
export function metadataOf({
  installationId,
  accountId,
  paymentId,
  creditNanos,
  crossing,
}: Origin): Record<string, string> {
  return {
    [INSTALLATION]: installationId,
    [ACCOUNT]: accountId,
    [PAYMENT]: paymentId,
    [CREDIT]: creditNanos.toString(),
    ...(crossing === undefined ? {} : { [CROSSING]: crossing.toString() }),
  };
}

/** Reads the metadata of a payment; undefined if none of ours is in it. */
export function originOf(metadata: Metadata | null): Origin | 'malformed' | undefined {
  const installationId = metadata?.[INSTALLATION];
  if (metadata === null || installationId === undefined) return undefined;
  const { [ACCOUNT]: accountId = '', [PAYMENT]: paymentId = '', [CREDIT]: credit } = metadata;
  const creditNanos = nanosOf(credit);
  const isWhole = isUuid(installationId) && isUuid(accountId) && isUuid(paymentId) && creditNanos !== undefined;
  const crossing = nanosOf(metadata[CROSSING]);
  return isWhole
    ? { installationId, accountId, paymentId, creditNanos, ...(crossing === undefined ? {} : { crossing }) }
    : 'malformed';
}

/** The installation that metadata names, if any. */
export function installationOf(metadata: Metadata | null): string | undefined {
  return metadata?.[INSTALLATION];
}

/** The metadata of a customer. */
export function customerMetadata(accountId: string, installationId: string): Record<string, string> {
  return { [INSTALLATION]: installationId, [ACCOUNT]: accountId };
}

/** The metadata of a refund that was begun here. */
export function refundMetadata(refundId: string, creditNanos: bigint): Record<string, string> {
  return { [REFUND]: refundId, [CREDIT]: creditNanos.toString() };
}

/** Reads the metadata of a refund; undefined if it was not begun here. */
export function refundOriginOf(metadata: Metadata | null): { refundId: string; creditNanos: bigint } | undefined {
  const refundId = metadata?.[REFUND];
  const creditNanos = nanosOf(metadata?.[CREDIT]);
  return refundId === undefined || !isUuid(refundId) || creditNanos === undefined
    ? undefined
    : { refundId, creditNanos };
}

/** A positive number in the range of the ledger. */
function nanosOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[1-9]\d{0,17}$/.test(text)) return undefined;
  return BigInt(text);
}
