export { CreditManager } from './credit/credit-manager.ts';
export {
  type CappedKey,
  type CaptureOptions,
  type ChargeRecord,
  type CreditLimits,
  type CreditManagerOptions,
  type CreditStats,
  DEFAULT_CREDIT_LIMITS,
  type Hold,
  type HoldRequest,
  type HoldResult,
  type ReachedCap,
  type UnavailableReason,
} from './credit/types.ts';
