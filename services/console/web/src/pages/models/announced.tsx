import { Link } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { Time } from '../../components/time.tsx';
import { bucketName } from '../requests/bill.ts';
import styles from './models.module.css';
import { bucketRate, type Change, changesOf, type Model, type Price } from './prices.ts';

interface Announcement {
  model: string;
  before: Price | null;
  price: Price;
}

/** Prices that come into force later, and what each changes. */
export function Announced({ models }: { models: readonly Model[] }) {
  const { href } = useAccount();
  return (
    <ul className={styles['announced']}>
      {models.flatMap(announcementsOf).map(({ model, before, price }) => (
        <li key={`${model} ${price.effective_from} ${price.version}`}>
          <Link href={href(`/models/${encodeURIComponent(model)}`)}>{model}</Link>
          {price.effective_from !== null && (
            <span className="muted">
              from <Time value={price.effective_from} exact />
            </span>
          )}
          <span>{changesOf(before, price).map(changeText).join(', ') || 'No rate changes'}</span>
        </li>
      ))}
    </ul>
  );
}

/** The announced prices of a model, each with the one before it. */
export function announcementsOf({ model, price, next_prices }: Model): Announcement[] {
  return next_prices.map((next, at) => ({ model, before: next_prices[at - 1] ?? price, price: next }));
}

/** `Input $1.25 → $1.10` */
function changeText({ bucket, from, to }: Change): string {
  const { label } = bucketName(bucket);
  if (to === null) return `${label} no longer priced by itself`;
  const [before, after] = [from, to].map((rate) => (rate === null ? '' : bucketRate(bucket, rate)));
  return from === null ? `${label} ${after}` : `${label} ${before} → ${after}`;
}
