import { Link } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { Money } from '../../components/money.tsx';
import { exactMoney } from '../../format/money.ts';
import { count } from '../../format/number.ts';
import { bucketRate } from '../models/prices.ts';
import { trimZeros } from '../shared/decimal.ts';
import { type Bill, type BillLine, calculation, fullRate } from './bill.ts';
import styles from './request.module.css';
import type { Request } from './timeline.ts';

/** The bill: quantities at list prices, the discount, and what became of the hold. */
export function BillTable({ bill, request }: { bill: Bill; request: Request }) {
  return (
    <div className="stack">
      <table className={styles['bill']}>
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col">Quantity</th>
            <th scope="col">Per million</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {bill.lines.map((line) => (
            <LineRow key={lineKey(line)} line={line} />
          ))}
          {bill.lines.length === 0 && <SumRow label="No usage" amount="0" />}
          {bill.discount !== null && (
            <>
              <SumRow label="At list price" amount={bill.list} />
              <SumRow label={`Discount, ${trimZeros(bill.discount.percent)}%`} amount={`-${bill.discount.amount}`} />
            </>
          )}
          {bill.borneByOperator !== null && (
            <SumRow label="Above the hold, paid by the operator" amount={`-${bill.borneByOperator}`} />
          )}
          <SumRow label="Charge" amount={bill.cost} kind="total" />
        </tbody>
        {bill.hold !== null && (
          <tbody>
            <SumRow label="Held while it ran" amount={bill.hold} />
            {bill.released !== null && <SumRow label="Released" amount={bill.released} />}
          </tbody>
        )}
        {(bill.base !== null || bill.upstream !== null) && (
          <tbody aria-label="For operators only">
            {bill.base !== null && (
              <>
                <SumRow label="Base cost, at list prices (operators only)" amount={bill.base.cost} />
                <SumRow label="Margin on the base cost (operators only)" amount={bill.base.margin} />
              </>
            )}
            {bill.upstream !== null && (
              <>
                <SumRow label="Provider’s cost (operators only)" amount={bill.upstream.cost} />
                <SumRow label="Margin on the provider’s cost (operators only)" amount={bill.upstream.margin} />
              </>
            )}
          </tbody>
        )}
      </table>
      <PriceVersion bill={bill} request={request} />
    </div>
  );
}

/** Lines of one bucket differ by their list rates, which the account's own may not show. */
const lineKey = (line: BillLine) => `${line.bucket} ${line.rate_per_million} ${line.quantity}`;

function LineRow({ line }: { line: BillLine }) {
  const { label, unit, quantity, list } = line;
  return (
    <tr data-line="true">
      <th scope="row">{label}</th>
      <td>
        {count(quantity)} <span className="muted">{unit}</span>
      </td>
      <td>
        <span className={styles['wide']}>{bucketRate(line.bucket, line.rate_per_million)}</span>
        <span className={styles['phone']}>{fullRate(line)}</span>
      </td>
      <td>
        <Money value={list} exact />
      </td>
    </tr>
  );
}

function SumRow({ label, amount, kind = 'sum' }: { label: string; amount: string; kind?: 'sum' | 'total' }) {
  return (
    <tr data-kind={kind}>
      <th scope="row" colSpan={3}>
        {label}
      </th>
      <td>
        <Money value={amount} exact />
      </td>
    </tr>
  );
}

/** Which price applied, and each line as a calculation. */
function PriceVersion({ bill, request }: { bill: Bill; request: Request }) {
  const { href } = useAccount();
  if (request.price_version === null) return null;
  const tier = request.price_tier?.above_input_tokens;
  return (
    <div>
      <p>
        <span className="muted">Price version</span> <code>{request.price_version}</code>
        {Object.entries(request.price_options).map(([name, value]) => (
          <span className="muted" key={name}>
            , {name} {value}
          </span>
        ))}
        {tier !== undefined && <span className="muted">, for prompts above {count(tier)} tokens</span>}
      </p>
      <details className={styles['explain']}>
        <summary>Explain this price</summary>
        <div className="stack">
          <ul>
            {bill.lines.map((line) => (
              <li key={lineKey(line)}>
                <span className="strong">{line.label}:</span> {calculation(line, request.discount_percent)} ={' '}
                {exactMoney(line.amount)}
              </li>
            ))}
          </ul>
          <p className="muted">
            The prices are those in force when the request was received. Each line is exact to the billionth of a
            dollar. The most that the request could cost was held before it was sent; what it did not use was released.
          </p>
          <p>
            <Link href={href(`/models/${encodeURIComponent(request.model)}`)}>Prices of {request.model} now</Link>
          </p>
        </div>
      </details>
    </div>
  );
}
