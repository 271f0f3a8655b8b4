/**
 * The text of a Postgres array of values that never need quoting: UUIDs, numbers, booleans and labels of enums. Much
 * cheaper than what the Postgres client makes of an array, which quotes every value; a settlement batch has thousands.
 */
export function arrayText(values: readonly (string | number | bigint | boolean)[]): string {
  return `{${values.join(',')}}`;
}
