export {
  type Bucket,
  type BucketTake,
  LimitStore,
  type LimitsReading,
  OPEN_WAIT_MS,
  type OpenCount,
  type OpenTake,
} from './limit-store.ts';
export { ROUNDING } from './scripts.ts';
