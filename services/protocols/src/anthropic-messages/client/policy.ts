import type { FieldNote } from '../../field-note.ts';
import type { Edit } from '../../json/splice.ts';
import { guardForeign } from './foreign-signature-policy.ts';
import type { ReadRequest } from './parse.ts';
import { guardPrices } from './price-policy.ts';
import { guardReferences } from './reference-policy.ts';
import { guardTools } from './tool-policy.ts';

/** What the shared provider account and the price list make of a request. */
export interface MessagesGuard {
  /** Fields for which the request is refused; the first one is the one to tell. */
  readonly refusals: readonly FieldNote[];
  /** What is changed or left out without changing the answer's meaning. */
  readonly warnings: readonly FieldNote[];
}

/** The same with the changes that make the request fit for an upstream of this protocol. */
export interface PassageGuard extends MessagesGuard {
  readonly edits: readonly Edit[];
}

export interface Findings {
  readonly refusals: FieldNote[];
  readonly warnings: FieldNote[];
  readonly edits: Edit[];
}

/**
 * Looks for fields that would make a call dearer than the list price the hold is computed from, and for those that reach
 * into the provider's account, which all customers share.
 */
export function guardRequest(read: ReadRequest): PassageGuard {
  const findings: Findings = { refusals: [], warnings: [], edits: [] };
  guardPrices(read.request, findings);
  guardReferences(read.request, findings);
  guardTools(read, findings);
  return findings;
}

/** What must change only on the way to a provider of this protocol, which would refuse the request as it is. */
export function guardPassage(read: ReadRequest): Pick<PassageGuard, 'warnings' | 'edits'> {
  const findings: Findings = { refusals: [], warnings: [], edits: [] };
  guardForeign(read, findings);
  return findings;
}
