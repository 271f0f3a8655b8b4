/** Parts per million as per cent, exactly. */
export function formatPercent(ppm: number): string {
  const whole = String(Math.floor(ppm / 10_000));
  const fraction = String(ppm % 10_000).padStart(4, '0');
  return `${whole}.${fraction}`.replace(/\.?0+$/, '');
}
