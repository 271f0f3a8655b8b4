import uPlot from 'uplot';
import { colourOf, labelledBars, type Series, stackedHeights } from './stack.ts';

const LABEL_WIDTH = 64;
/** Room for the axis of amounts, and for half a label of the last bar. */
export const PLOT_LEFT = 72;
export const PLOT_RIGHT = 20;

export interface PlotInput {
  series: readonly Series[];
  bars: number;
  barLabel: (bar: number) => string;
  valueLabel: (value: number) => string;
}

interface Handlers {
  /** The bar under the pointer. */
  onHover: (bar: number | null) => void;
  /** Positions of bars between which the pointer was dragged. */
  onDrag: (left: number, right: number) => void;
}

/** Draws stacked bars from zero into an element. Returns the plot. */
export function drawPlot(
  element: HTMLElement,
  size: { width: number; height: number },
  input: PlotInput,
  handlers: Handlers,
): uPlot {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const { series, bars } = input;
  const axis = {
    stroke: colour('--text-muted'),
    font: `12px ${style.fontFamily}`,
    ticks: { show: false },
    border: { show: false },
  };
  const options: uPlot.Options = {
    ...size,
    legend: { show: false },
    padding: [8, PLOT_RIGHT, 0, 0],
    scales: {
      x: { time: false, range: () => [-0.5, bars - 0.5] },
      // Zero-based, with a little room; a chart without spend has an axis too.
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.05 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        splits: (plot) => labelledBars(bars, plot.bbox.width / devicePixelRatio, LABEL_WIDTH),
        values: (_plot, splits) => splits.map((bar) => input.barLabel(bar)),
      },
      {
        ...axis,
        size: PLOT_LEFT,
        space: 40,
        grid: { stroke: colour('--border'), width: 1 },
        values: (_plot, splits) => splits.map((value) => input.valueLabel(value)),
      },
    ],
    series: [
      {},
      // As in stackedHeights: the top of the stack first.
      ...series.map((_, index) => ({
        fill: colour(colourOf(series, series.length - 1 - index)),
        width: 0,
        points: { show: false },
        ...(uPlot.paths.bars === undefined ? {} : { paths: uPlot.paths.bars({ size: [0.72, 40], gap: 0 }) }),
      })),
    ],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false },
    },
    hooks: {
      setCursor: [(plot) => handlers.onHover(plot.cursor.idx ?? null)],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < 4) return;
          handlers.onDrag(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
  const x = Array.from({ length: bars }, (_, bar) => bar);
  return new uPlot(options, [x, ...stackedHeights(series, bars)], element);
}
