import type { ModelParameters } from '../interface/parameters.ts';

const MAX_KEPT = 64;
const MAX_CHARACTERS = 256;

/** For the warning. */
export const KEPT_STOPS =
  "kept to by the gateway, since this model's provider does not take them; text generated after one is charged";

/** Why the gateway cannot keep to stop words. */
const TOO_MANY = `this model's provider does not take them, and the gateway keeps to at most ${MAX_KEPT} stop sequences of at most ${MAX_CHARACTERS} characters`;

/** Stop words by who keeps to them. */
export interface DividedStops {
  /** The provider. */
  readonly sent: readonly string[];
  /** The gateway. */
  readonly kept: readonly string[];
  /** Why the gateway cannot. */
  readonly problem: string | undefined;
}

/** Divides stop words by what a provider takes. */
export function divideStops(stops: readonly string[], maxStops: number, parameters: ModelParameters): DividedStops {
  const { whitespaceStops, unsupported } = parameters;
  const most = unsupported?.includes('stop') === true ? 0 : maxStops;
  const isTaken = (stop: string) => whitespaceStops !== false || stop.trim() !== '';
  const taken = stops.filter(isTaken);
  // An empty one asks for nothing.
  const kept = [...taken.slice(most), ...stops.filter((stop) => !isTaken(stop))].filter((stop) => stop !== '');
  const isTooMuch = kept.length > MAX_KEPT || kept.some((stop) => stop.length > MAX_CHARACTERS);
  return { sent: taken.slice(0, most), kept, problem: isTooMuch ? TOO_MANY : undefined };
}
