import type { Amounts } from './amounts.ts';
import styles from './chart.module.css';
import type { Series } from './stack.ts';

interface ChartTableProps {
  label: string;
  series: readonly Series[];
  format: Amounts;
  bars: number;
  barTitle: (bar: number) => string;
  totals: readonly bigint[];
}

/** What a chart shows, as a table with all digits, newest first. */
export function ChartTable({ label, series, format, bars, barTitle, totals }: ChartTableProps) {
  return (
    <details className={styles['details']}>
      <summary>Show as table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be a landmark. */}
      <div className={styles['scroll']} role="group" aria-label={label} tabIndex={0}>
        <table aria-label={label}>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ name }) => (
                <th key={name} scope="col" className={styles['number']}>
                  {name}
                </th>
              ))}
              <th scope="col" className={styles['number']}>
                Total
              </th>
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: bars }, (_, index) => bars - 1 - index).map((bar) => (
              <tr key={bar}>
                <th scope="row">{barTitle(bar)}</th>
                {series.map(({ name, amounts }) => (
                  <td key={name} className={styles['number']} data-name={name}>
                    {format.exact(amounts[bar] ?? 0n)}
                  </td>
                ))}
                <td className={`${styles['number']} strong`} data-name="Total">
                  {format.exact(totals[bar] ?? 0n)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
