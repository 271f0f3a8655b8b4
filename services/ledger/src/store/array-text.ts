/**
 * The text of a Postgres array of values that never need quoting: UUIDs, numbers, booleans and labels of enums. Much
 * cheaper than the array encoding of the Postgres client, which quotes every value; a settlement batch has thousands.
 */
export function arrayText(values: readonly (string | number | bigint | boolean)[]): string {
  return `{${values.join(',')}}`;
}
