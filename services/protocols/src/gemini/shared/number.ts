import { isRecord } from '../../json/record.ts';

/** The number of a value, which may have kept the digits of its text (see json/lossless.ts). */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const raw = isRecord(value) ? value['rawJSON'] : undefined;
  return typeof raw === 'string' && raw !== '' ? Number(raw) : undefined;
}
