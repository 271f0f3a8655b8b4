import { count } from '../../format/number.ts';
import { bucketName } from '../requests/bill.ts';
import styles from './models.module.css';
import { bucketRate, bucketsOf, type Price } from './prices.ts';

/** The rates of a price, with a column for each tier of long prompts. */
export function PriceTable({ price }: { price: Price }) {
  const buckets = bucketsOf(Object.assign({}, price.rates, ...price.tiers.map(({ rates }) => rates)));
  return (
    <table className={styles['prices']}>
      <thead>
        <tr>
          <th scope="col">Price version {price.version}</th>
          <th scope="col">Per million</th>
          {price.tiers.map(({ above_input_tokens }) => (
            <th scope="col" key={above_input_tokens}>
              Prompts above {count(above_input_tokens)} tokens
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {buckets.map((bucket) => {
          const { label, unit } = bucketName(bucket);
          return (
            <tr key={bucket}>
              <th scope="row">
                {label} {unit === 'tokens' && <span className="muted">tokens</span>}
              </th>
              <td>{rateOrNone(bucket, price.rates[bucket])}</td>
              {price.tiers.map(({ above_input_tokens, rates }) => (
                <td key={above_input_tokens}>{rateOrNone(bucket, rates[bucket] ?? price.rates[bucket])}</td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function rateOrNone(bucket: string, rate: string | undefined) {
  return rate === undefined ? <span className="muted">–</span> : bucketRate(bucket, rate);
}
