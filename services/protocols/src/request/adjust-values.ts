import { hash } from 'node:crypto';
import { nearestEffort } from '../canonical/effort.ts';
import { EFFORTS } from '../canonical/request.ts';
import type { ModelParameters } from '../interface/parameters.ts';
import type { JsonRecord } from '../json/record.ts';
import type { MemberPath } from '../json/splice.ts';
import { type Adjustment, valueAt } from './adjustment.ts';

/** A sampling field of a protocol, and the provider's default value; undefined if it has none. */
export interface SamplingField {
  readonly path: MemberPath;
  readonly kind: 'temperature' | 'top_p' | 'other';
  readonly defaultValue: number | undefined;
}

/** Temperature, top_p and the like: leaves out what the model does not accept, and lowers the temperature to its maximum. */
export function adjustSampling(
  body: JsonRecord,
  fields: readonly SamplingField[],
  parameters: ModelParameters,
  effort: unknown,
): Adjustment[] {
  const { sampling, maxTemperature } = parameters;
  const isFixed = sampling === 'default_only' || (sampling === 'without_reasoning' && effort !== 'none');
  const given = fields.flatMap((field) => {
    const value = valueAt(body, field.path);
    return typeof value === 'number' ? [{ ...field, value }] : [];
  });
  if (isFixed) {
    const reason = sampling === 'default_only' ? 'takes no value but the default' : 'takes none while it reasons';
    return given.map(({ path, value, defaultValue }) => ({
      path,
      value: undefined,
      message: value === defaultValue ? undefined : `left out, since this model ${reason}`,
    }));
  }
  const adjustments: Adjustment[] = [];
  const temperature = given.find(({ kind }) => kind === 'temperature');
  const topP = given.find(({ kind }) => kind === 'top_p');
  if (sampling === 'one_of_temperature_top_p' && temperature !== undefined && topP !== undefined) {
    const dropped = temperature.value === temperature.defaultValue ? temperature : topP;
    adjustments.push({
      path: dropped.path,
      value: undefined,
      message:
        dropped.value === dropped.defaultValue
          ? undefined
          : 'left out, since this model does not take it together with a temperature',
    });
    if (dropped === temperature) return adjustments;
  }
  if (temperature !== undefined && maxTemperature !== undefined && temperature.value > maxTemperature) {
    const message = `sent as ${maxTemperature}, the maximum of this model`;
    adjustments.push({ path: temperature.path, value: maxTemperature, message });
  }
  return adjustments;
}

/** An effort that the model does not have becomes the nearest one. Unknown efforts are left to the provider. */
export function adjustEffort(body: JsonRecord, path: MemberPath, { efforts }: ModelParameters): Adjustment[] {
  if (efforts === undefined) return [];
  const value = valueAt(body, path);
  const effort = EFFORTS.find((known) => known === value);
  if (effort === undefined || efforts.includes(effort)) return [];
  const nearest = nearestEffort(effort, efforts);
  if (nearest === undefined) {
    // A model without efforts does not reason, which is what `none` asks for.
    const message = effort === 'none' ? undefined : 'left out, since this model takes no effort';
    return [{ path, value: undefined, message }];
  }
  return [{ path, value: nearest, message: `sent as "${nearest}", the nearest effort of this model` }];
}

/** An output limit below the smallest one is raised to it; 0 asks for no output. */
export function adjustLimit(body: JsonRecord, path: MemberPath, { minOutputTokens }: ModelParameters): Adjustment[] {
  const value = valueAt(body, path);
  if (minOutputTokens === undefined || typeof value !== 'number' || value < 1 || value >= minOutputTokens) {
    return [];
  }
  return [{ path, value: minOutputTokens, message: `raised to ${minOutputTokens}, the smallest limit of this model` }];
}

/**
 * An id that is too long becomes its hash, which still names one user. OpenAI recommends a hash for every id:
 * https://help.openai.com/en/articles/5428082-how-to-incorporate-a-safety-identifier
 */
export function adjustUserId(body: JsonRecord, path: MemberPath, { maxUserIdLength }: ModelParameters): Adjustment[] {
  const value = valueAt(body, path);
  if (maxUserIdLength === undefined || typeof value !== 'string' || value.length <= maxUserIdLength) return [];
  const message = `sent as its hash, since this model's provider accepts at most ${maxUserIdLength} characters`;
  return [{ path, value: hash('sha256', value).slice(0, maxUserIdLength), message }];
}

/** Stop sequences of only white space are left out. */
export function adjustStops(body: JsonRecord, path: MemberPath, { whitespaceStops }: ModelParameters): Adjustment[] {
  if (whitespaceStops !== false) return [];
  const value = valueAt(body, path);
  const stops: readonly unknown[] = Array.isArray(value) ? value : [value];
  const kept = stops.filter((stop) => typeof stop !== 'string' || stop.trim() !== '');
  if (kept.length === stops.length) return [];
  const message = "without those of only white space, which this model's provider does not accept";
  return [{ path, value: kept.length === 0 ? undefined : kept, message: kept.length === 0 ? LEFT_OUT_STOPS : message }];
}

const LEFT_OUT_STOPS = "left out, since this model's provider accepts no stop sequences of only white space";
