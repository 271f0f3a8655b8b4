/** Parts per million of one percent. */
const PPM_PER_PERCENT = 10_000;

/** Parts per million as percent, in exact decimal text such as `12.5`. */
export function formatPercent(ppm: number): string {
  const fraction = String(ppm % PPM_PER_PERCENT)
    .padStart(4, '0')
    .replace(/0+$/, '');
  const percent = Math.floor(ppm / PPM_PER_PERCENT);
  return fraction === '' ? `${percent}` : `${percent}.${fraction}`;
}
