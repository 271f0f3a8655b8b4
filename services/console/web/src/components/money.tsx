import { exactMoney, shortMoney } from '../format/money.ts';

interface MoneyProps {
  /** A decimal amount, as in the API. */
  value: string;
  /** All digits, for bills and details. Otherwise they show on hover. */
  exact?: boolean;
  /** Amounts that it is compared with. */
  beside?: readonly string[];
}

/** An amount of US dollars: short, with all digits on hover. */
export function Money({ value, exact = false, beside = [] }: MoneyProps) {
  const all = exactMoney(value);
  if (exact) return <data value={value}>{all}</data>;
  return (
    <data value={value} data-tip={all}>
      {shortMoney(value, beside)}
    </data>
  );
}
