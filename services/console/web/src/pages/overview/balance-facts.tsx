import { Money } from '../../components/money.tsx';
import { Facts } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { parseMoney } from '../../format/money.ts';
import { compactCount, count } from '../../format/number.ts';
import { OwesNote } from '../shared/owes-note.tsx';
import type { Overview } from './overview-page.tsx';

/** What is left, what is held, and how long it lasts. */
export function BalanceFacts({ overview: { balance, forecast, total } }: { overview: Overview }) {
  return (
    <>
      {balance.suspended && <OwesNote owed={balance.owed} />}
      <Facts
        facts={[
          { label: 'Left', figure: <Money value={balance.available} /> },
          { label: 'Held by open requests', figure: <Money value={balance.held} /> },
          ...(parseMoney(balance.owed) === 0n ? [] : [{ label: 'Owed', figure: <Money value={balance.owed} /> }]),
          { label: 'Spent in this range', figure: <Money value={total.cost} /> },
          { label: 'Requests', figure: <span data-tip={count(total.requests)}>{compactCount(total.requests)}</span> },
          { label: 'Tokens', figure: <span data-tip={count(total.tokens)}>{compactCount(total.tokens)}</span> },
          { label: 'Forecast', value: <Forecast forecast={forecast} available={balance.available} /> },
        ]}
      />
    </>
  );
}

function Forecast({ forecast, available }: { forecast: Overview['forecast']; available: string }) {
  if (parseMoney(available) === 0n) return <span className="muted">Nothing is left</span>;
  if (forecast === null) return <span className="muted">Nothing spent in 7 days</span>;
  const perDay = <Money value={forecast.spent_per_day} />;
  if (forecast.runs_out_at === null) return <>Lasts more than five years at {perDay} a day</>;
  return (
    <>
      Runs out <Time value={forecast.runs_out_at} /> at {perDay} a day
    </>
  );
}
