import { type HostedUses, type RequestedHostedTools, reasonToLeaveOut } from '../../interface/hosted-tools.ts';
import { isSet } from '../../json/record.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

/** What asks a model of chat completions to search the web; it has no limit on searches, and nothing forces one. */
const FIELD = 'web_search_options';

/** Passes the provider's web search if it is allowed; left out with a warning if not. */
export function checkWebSearch({ request }: ParsedRequest, findings: PolicyFindings, { search }: HostedUses): void {
  if (!isSet(request[FIELD]) || search !== undefined) return;
  findings.warnings.push(diagnostic(FIELD, `left out, since ${reasonToLeaveOut('search')}`));
  findings.edits.push({ op: 'remove', path: [FIELD] });
}

/** The search of a request; undefined if it has none. */
export function requestedWebSearch(
  { request }: ParsedRequest,
  policy: RequestedHostedTools['policy'],
): RequestedHostedTools | undefined {
  if (!isSet(request[FIELD])) return undefined;
  return { limits: new Map([['search', undefined] as const]), canLimit: false, limitField: FIELD, policy };
}
