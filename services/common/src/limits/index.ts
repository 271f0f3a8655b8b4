export {
  type Bucket,
  type BucketTake,
  LimitStore,
  type LimitsResult,
  OPEN_WAIT_MS,
  type OpenCount,
  type OpenTake,
} from './limit-store.ts';
export { ROUNDING } from './scripts.ts';
