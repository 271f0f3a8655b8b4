/** A fixed, made-up log probability of the token at an index, never 0. */
export function logprobAt(index: number): number {
  return -(index % 7) / 8 - 0.125;
}

/** The likeliest tokens at an index, starting with the chosen one. */
export function alternatives(token: string, index: number, count: number): { token: string; logprob: number }[] {
  return Array.from({ length: count }, (_, rank) => ({
    token: rank === 0 ? token : `${token}${rank}`,
    logprob: logprobAt(index) - rank,
  }));
}
