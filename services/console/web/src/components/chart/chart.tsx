import 'uplot/dist/uPlot.min.css';
import { type CSSProperties, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { type Amounts, addUp } from './amounts.ts';
import styles from './chart.module.css';
import { ChartTable } from './chart-table.tsx';
import { drawPlot, PLOT_LEFT, PLOT_RIGHT } from './plot.ts';
import { barsBetween, colourOf, type Series } from './stack.ts';

interface ChartProps {
  /** What it shows: `Spend by day and model`. */
  label: string;
  /** Largest first: the first is at the bottom of each bar. */
  series: readonly Series[];
  amounts: Amounts;
  bars: number;
  /** On the axis: `23 Nov`. */
  barLabel: (bar: number) => string;
  /** On hover and in the table: `23 Nov 2026, UTC`. */
  barTitle: (bar: number) => string;
  /** Bars that were chosen, inclusive, by dragging or with Shift and arrows. */
  onSelect?: (first: number, last: number) => void;
  height?: number;
}

/** Amounts over time: stacked bars from zero, exact values on hover and with the arrow keys, and the same as a table. */
export function StackedBars(props: ChartProps) {
  const { label, series, amounts, bars, barTitle, onSelect, height = 220 } = props;
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const [anchor, setAnchor] = useState<number | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const redraws = useRedraws(frame);

  // biome-ignore lint/correctness/useExhaustiveDependencies: barLabel is a new function with each render; redraws has size and theme.
  useEffect(() => {
    if (frame.current === null) return;
    const drawn = drawPlot(
      frame.current,
      { width: frame.current.clientWidth, height },
      { series, bars, barLabel: (bar) => latest.current.barLabel(bar), valueLabel: amounts.axis },
      {
        onHover: setHovered,
        onDrag: (left, right) => {
          const chosen = barsBetween(left, right, bars);
          if (chosen !== null) latest.current.onSelect?.(chosen.first, chosen.last);
        },
      },
    );
    plot.current = drawn;
    return () => {
      drawn.destroy();
      plot.current = null;
    };
  }, [series, amounts, bars, height, redraws]);

  const moveTo = (bar: number) => {
    setHovered(bar);
    const left = plot.current?.valToPos(bar, 'x') ?? 0;
    plot.current?.setCursor({ left, top: 0 }, false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const from = hovered ?? (step > 0 ? -1 : bars);
      setAnchor(event.shiftKey ? (anchor ?? from) : null);
      moveTo(Math.max(0, Math.min(bars - 1, from + step)));
    } else if (event.key === 'Enter' && hovered !== null) {
      onSelect?.(Math.min(anchor ?? hovered, hovered), Math.max(anchor ?? hovered, hovered));
    } else if (event.key === 'Escape') {
      setHovered(null);
      setAnchor(null);
    }
  };
  const totals = useMemo(() => totalsOf(series, bars), [series, bars]);

  return (
    <figure className={styles['chart']}>
      <div className={styles['plot']}>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms. */}
        <div
          ref={frame}
          className={styles['frame']}
          style={{ height }}
          role="group"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows read out the bars.
          tabIndex={0}
          aria-label={`${label}. Left and right arrows read out the bars${onSelect === undefined ? '' : ', Shift and arrows choose several, Enter shows them'}.`}
          data-selects={onSelect !== undefined}
          onKeyDown={onKeyDown}
          onBlur={() => setHovered(null)}
        />
        {hovered !== null && hovered < bars && (
          <Values
            title={barTitle(anchor === null ? hovered : Math.min(anchor, hovered))}
            titleTo={anchor === null || anchor === hovered ? null : barTitle(Math.max(anchor, hovered))}
            bar={hovered}
            share={(hovered + 0.5) / bars}
            series={series}
            format={amounts}
            total={totals[hovered] ?? 0n}
          />
        )}
      </div>
      <Legend series={series} format={amounts} />
      <ChartTable label={label} series={series} format={amounts} bars={bars} barTitle={barTitle} totals={totals} />
    </figure>
  );
}

/** Names of the series in the order of the stack, with their sums. */
function Legend({ series, format }: { series: readonly Series[]; format: Amounts }) {
  const rows = series.map(({ name, amounts }, index) => ({ name, index, sum: addUp(amounts) }));
  return (
    <ul className={styles['legend']}>
      {rows.toReversed().map(({ name, index, sum }) => (
        <li key={name}>
          <Swatch series={series} index={index} />
          <span className={styles['name']} title={name}>
            {name}
          </span>
          <span data-tip={format.exact(sum)}>{format.short(sum)}</span>
        </li>
      ))}
    </ul>
  );
}

interface ValuesProps {
  title: string;
  titleTo: string | null;
  bar: number;
  /** Where the bar is, from 0 at the left to 1. */
  share: number;
  series: readonly Series[];
  format: Amounts;
  total: bigint;
}

/** The exact amounts of a bar. */
function Values({ title, titleTo, bar, share, series, format, total }: ValuesProps) {
  const rows = series.map(({ name, amounts }, index) => ({ name, index, amount: amounts[bar] ?? 0n }));
  return (
    <div className={styles['values']} role="status" style={beside(share)}>
      <p className="strong">{titleTo === null ? title : `${title} – ${titleTo}`}</p>
      <dl>
        {rows
          .filter(({ amount }) => amount !== 0n)
          .toReversed()
          .map(({ name, index, amount }) => (
            <div key={name}>
              <dt>
                <Swatch series={series} index={index} /> {name}
              </dt>
              <dd>{format.exact(amount)}</dd>
            </div>
          ))}
        <div>
          <dt>Total</dt>
          <dd className="strong">{format.exact(total)}</dd>
        </div>
      </dl>
    </div>
  );
}

/** Right of bars in the left half, and left of others. */
function beside(share: number): CSSProperties {
  const width = `(100% - ${PLOT_LEFT + PLOT_RIGHT}px)`;
  const place =
    share < 0.5
      ? { '--left': `calc(${PLOT_LEFT + 16}px + ${share} * ${width})` }
      : { '--right': `calc(${PLOT_RIGHT + 16}px + ${1 - share} * ${width})` };
  return place as CSSProperties;
}

function Swatch({ series, index }: { series: readonly Series[]; index: number }) {
  return (
    <span className={styles['swatch']} style={{ background: `var(${colourOf(series, index)})` }} aria-hidden="true" />
  );
}

function totalsOf(series: readonly Series[], bars: number): bigint[] {
  return Array.from({ length: bars }, (_, bar) => addUp(series.map(({ amounts }) => amounts[bar] ?? 0n)));
}

/** Counts how often a chart must be drawn again: the width or the theme changed. */
function useRedraws(frame: { current: HTMLElement | null }): string {
  const [state, setState] = useState('');
  useEffect(() => {
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    const update = () =>
      setState(`${frame.current?.clientWidth ?? 0} ${document.documentElement.dataset['theme'] ?? ''} ${dark.matches}`);
    const resized = new ResizeObserver(update);
    if (frame.current !== null) resized.observe(frame.current);
    const themed = new MutationObserver(update);
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    dark.addEventListener('change', update);
    return () => {
      resized.disconnect();
      themed.disconnect();
      dark.removeEventListener('change', update);
    };
  }, [frame]);
  return state;
}
