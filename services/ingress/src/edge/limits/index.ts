export type { Admission } from '../../shared/request/admission.ts';
export { billingLimits, COUNTING_LIMITS, COUNTS_PER_MINUTE, limitsOf, type ModelLimits } from './applicable.ts';
export { limitError } from './errors.ts';
export { setLimitHeaders } from './headers.ts';
export { Limiter } from './limiter.ts';
export { type LimitedModels, limitedCallOf, modelNamedIn } from './model-call.ts';
