/** A decimal without zeros at its end, as people write it: `25`, `0.5`. */
export function trimZeros(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}

export function isZero(decimal: string): boolean {
  return /^-?0*(\.0*)?$/.test(decimal);
}
