import {
  type HostedToolKind,
  type HostedUses,
  type RequestedHostedTools,
  reasonToLeaveOut,
} from '../../interface/hosted-tools.ts';
import { elementsOf } from '../../json/elements.ts';
import { memberOf } from '../../json/object.ts';
import { scanObject } from '../../json/scan.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import type { GeminiTool } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';
import { PROVIDER_RUN_TOOLS } from './shape.ts';

/**
 * Tools that the provider runs itself, which cost extra. Searches and fetches pass if they are allowed. All others are not
 * supported: left out with a warning if they are only declared, as agents do on every turn; rejected if the request requires
 * a call and declares nothing else.
 */
export function checkToolPolicy(parsed: ParsedRequest, findings: PolicyFindings, hostedUses: HostedUses): void {
  const { request, aliases } = parsed;
  const { errors, warnings } = findings;
  const tools = request.tools ?? [];
  const isLeftOut = (name: string) => {
    const kind = WEB_TOOLS.get(name);
    return kind === undefined || hostedUses[kind] === undefined;
  };
  const found = tools.flatMap((tool, i) =>
    providerRunOf(tool)
      .filter(isLeftOut)
      .map((name) => ({ path: `tools[${i}].${name}`, reason: reasonToLeaveOut(WEB_TOOLS.get(name)) })),
  );
  const [first] = found;
  if (first === undefined) return;
  const hasFunctions = tools.some((tool) => (tool.functionDeclarations?.length ?? 0) > 0);
  if (!hasFunctions && request.toolConfig?.functionCallingConfig?.mode?.toUpperCase() === 'ANY') {
    errors.push(diagnostic(aliases.path(first.path), `${first.reason}; remove it`));
    return;
  }
  for (const { path, reason } of found) {
    warnings.push(diagnostic(aliases.path(path), `left out, since ${reason}`));
  }
  const hasOthers = tools.some((tool) => providerRunOf(tool).some((name) => !isLeftOut(name)));
  findings.tools = { json: hasFunctions || hasOthers ? keptOf(parsed, isLeftOut) : undefined };
}

/** The fields of a tool that search the web or fetch pages. */
const WEB_TOOLS: ReadonlyMap<string, HostedToolKind> = new Map([
  ['googleSearch', 'search'],
  ['googleSearchRetrieval', 'search'],
  ['urlContext', 'fetch'],
]);

/** The hosted tools of a request; undefined if it has none. Gemini has no field that limits their uses. */
export function requestedHostedTools(
  { request }: ParsedRequest,
  policy: RequestedHostedTools['policy'],
): RequestedHostedTools | undefined {
  const kinds = (request.tools ?? []).flatMap(providerRunOf).flatMap((name) => WEB_TOOLS.get(name) ?? []);
  if (kinds.length === 0) return undefined;
  return { limits: new Map(kinds.map((kind) => [kind, undefined])), canLimit: false, limitField: 'tools', policy };
}

/** The fields of a tool other than the client's functions. An unknown field counts as a provider-run tool. */
function providerRunOf(tool: GeminiTool): string[] {
  return Object.keys(tool).filter((key) => {
    if (key === 'functionDeclarations' || tool[key] === undefined || tool[key] === null) return false;
    return PROVIDER_RUN_TOOLS.includes(key) || typeof tool[key] === 'object';
  });
}

const LIMITS = { maxDepth: 256, uniqueKeys: false, within: [] };

/** The JSON text of the tools with only their functions and what is not left out, whose bytes stay. */
function keptOf({ object }: ParsedRequest, isLeftOut: (name: string) => boolean): string {
  const member = memberOf(object, 'tools');
  if (member === undefined) return '[]';
  const spans =
    member.kind === 'array' ? elementsOf(object, member) : [{ start: member.valueStart, end: member.valueEnd }];
  const texts: string[] = [];
  for (const span of spans) {
    const bytes = object.bytes.subarray(span.start, span.end);
    const scanned = scanObject(bytes, LIMITS);
    if (!scanned.ok) continue;
    const kept = scanned.object.members
      .filter(({ key, kind }) => kind !== 'null' && (isFunctions(key) || !isLeftOut(camelCase(key))))
      .map(({ keyStart, valueEnd }) => bytes.toString('utf8', keyStart, valueEnd));
    if (kept.length > 0) texts.push(`{${kept.join(',')}}`);
  }
  return `[${texts.join(',')}]`;
}

function isFunctions(key: string): boolean {
  return camelCase(key) === 'functionDeclarations';
}

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
