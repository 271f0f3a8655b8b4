import { alternatives, logprobAt } from '../model/logprobs.ts';

/** The log probabilities of a token in OpenAI's format, with a number of alternatives. */
export function tokenLogprob(token: string, index: number, top: number) {
  return {
    ...described({ token, logprob: logprobAt(index) }),
    top_logprobs: alternatives(token, index, top).map(described),
  };
}

function described(given: { token: string; logprob: number }) {
  return { token: given.token, logprob: given.logprob, bytes: [...Buffer.from(given.token)] };
}
