import { loadCounter } from '@tollgate/protocols/tokens/counter';
import { claimsNoOutput, type Usage, usageOf } from '@tollgate/protocols/usage';

/** What was seen of an answer, from which its usage follows. */
export interface Observed {
  /** As the upstream reported it; undefined when it did not. */
  reported: Usage | undefined;
  /** All text that was generated and seen: content, reasoning, refusals, tool arguments. */
  text: string;
}

export interface Metered {
  usage: Usage;
  /** The usage was counted by us, since the upstream gave none or one that cannot be. */
  estimated: boolean;
}

/** Whether a report can be believed: zero tokens beside delivered text is not a report. */
export function isPlausible(observed: Observed): observed is Observed & { reported: Usage } {
  return observed.reported !== undefined && !(claimsNoOutput(observed.reported) && observed.text !== '');
}

/** The usage of an answer: the upstream's report where there is one, else a tokenizer's count of what went in and came out. */
export async function meter(observed: Observed, countInput: () => Promise<number>): Promise<Metered> {
  if (isPlausible(observed)) return { usage: observed.reported, estimated: false };
  const count = await loadCounter();
  const input = await countInput();
  return { usage: usageOf({ input, output: await count(observed.text) }), estimated: true };
}
