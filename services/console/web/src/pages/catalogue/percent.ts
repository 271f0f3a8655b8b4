/** How much a number changes, as `+12.5 %`; null unless both are numbers, the first of them not 0. */
export function changeInPercent(before: string | null, after: string | null): string | null {
  if (!isNumber(before) || !isNumber(after) || Number(before) === 0) return null;
  const percent = (Number(after) / Number(before) - 1) * 100;
  const digits = Math.abs(percent) < 10 ? 1 : 0;
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(digits)} %`;
}

function isNumber(text: string | null): text is string {
  return text !== null && /^\d+(\.\d+)?$/.test(text);
}
