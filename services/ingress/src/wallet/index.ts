export {
  type CappedNode,
  type CappedPath,
  type CaptureOptions,
  type ChargeRecord,
  type CreditLimits,
  type CreditStats,
  DEFAULT_CREDIT_LIMITS,
  type Hold,
  type HoldRequest,
  type HoldResult,
  type UnavailableReason,
  type WalletOptions,
} from './credit/types.ts';
export { Wallet } from './wallet.ts';
