import { OutcomeKind } from '@tollgate/proto/router';

const NAMES: Readonly<Record<OutcomeKind, string>> = {
  [OutcomeKind.UNSPECIFIED]: 'unspecified',
  [OutcomeKind.SUCCESS]: 'success',
  [OutcomeKind.FAILURE]: 'failure',
  [OutcomeKind.TIMEOUT]: 'timeout',
  [OutcomeKind.RATE_LIMITED]: 'rate_limited',
  [OutcomeKind.CREDENTIAL_REFUSED]: 'credential_refused',
  [OutcomeKind.NEUTRAL]: 'neutral',
};

/** The name of an outcome in metrics and spans; a kind of a newer version is `unspecified`. */
export function outcomeName(kind: OutcomeKind): string {
  return NAMES[kind] ?? NAMES[OutcomeKind.UNSPECIFIED];
}
