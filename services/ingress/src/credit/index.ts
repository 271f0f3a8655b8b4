export { CreditDesk } from './credit-desk.ts';
export {
  type CappedKey,
  type ChargeOptions,
  type ChargeRecord,
  type CreditDeskOptions,
  type CreditLimits,
  type CreditStats,
  DEFAULT_LIMITS,
  type Hold,
  type HoldRequest,
  type HoldResult,
  type ReachedCap,
  type UnavailableReason,
} from './types.ts';
