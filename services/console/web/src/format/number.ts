const exact = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** `12,345` */
export function count(value: number): string {
  return exact.format(value);
}

/** `12.3K`, for chart axes and narrow places. */
export function compactCount(value: number): string {
  return compact.format(value);
}

/** `1 key`, `2 keys` */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A share between 0 and 1 as whole percent, rounded down: only all of it is `100 %`. */
export function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}
