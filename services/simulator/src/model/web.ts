import type { Controls } from '../controls/schema.ts';
import type { Plan } from './plan.ts';

export type WebKind = 'search' | 'fetch';

/** A tool of a request that the provider runs: a search of the web, or the fetch of a page. */
export interface WebTool {
  kind: WebKind;
  /** The request's limit on uses. */
  maxUses?: number | undefined;
  /** Whether the model must use it. */
  forced: boolean;
}

export interface WebPage {
  url: string;
  title: string;
  text: string;
}

/** One use of a web tool. */
export interface WebUse {
  kind: WebKind;
  /** What it searches for, or the page's address. */
  query: string;
  /** Whether it is beyond the limit, so that it fails. */
  failed: boolean;
  pages: readonly WebPage[];
}

/** The uses of a response. */
export interface WebPlan {
  uses: readonly WebUse[];
  /** Input tokens before the first use, which a stream reports at its beginning. */
  firstInput: number;
  /** Tokens of all that was found. */
  found: number;
  searches: number;
  fetches: number;
}

/** Tokens that a use adds to the prompt. */
const TOKENS_PER_USE = 1_000;

/**
 * Adds the uses of web tools to a response. The model uses one that is forced once, and others as often as the controls
 * ask for. After each use it reads the whole conversation again, longer by what was found, and all of that is billed.
 *
 * @param total uses of all tools together that run; further ones do not happen at all
 */
export function withWeb(
  plan: Plan,
  tools: readonly WebTool[],
  controls: Controls,
  total = Number.POSITIVE_INFINITY,
): Plan {
  const uses = tools.flatMap((tool) => usesOf(tool, controls)).slice(0, total);
  if (uses.length === 0) return plan;
  const perUse = controls.tokens_per_use ?? TOKENS_PER_USE;
  const firstInput = plan.usage.input;
  let input = firstInput;
  let found = 0;
  for (const use of uses) {
    if (!use.failed) found += perUse;
    input += firstInput + found;
  }
  const count = (kind: WebKind) => uses.filter((use) => use.kind === kind && !use.failed).length;
  const web: WebPlan = { uses, firstInput, found, searches: count('search'), fetches: count('fetch') };
  const [cited] = uses.flatMap(({ pages }) => pages);
  const citations =
    plan.citations.length === 0 && cited !== undefined ? [{ url: cited.url, title: cited.title }] : plan.citations;
  const queries = uses.reduce((sum, { query }) => sum + Math.ceil(query.length / 4), 0);
  return { ...plan, citations, web, usage: { ...plan.usage, input, output: plan.usage.output + queries } };
}

function usesOf({ kind, maxUses, forced }: WebTool, controls: Controls): WebUse[] {
  const wanted = (kind === 'search' ? controls.searches : controls.fetches) ?? (forced ? 1 : 0);
  return Array.from({ length: wanted }, (_, index) => {
    const failed = maxUses !== undefined && index >= maxUses;
    const url = `https://${kind}.example/${index + 1}`;
    const page = { url, title: `Simulated page ${index + 1}`, text: `Text of ${url}` };
    const query = kind === 'search' ? `simulated query ${index + 1}` : url;
    return { kind, query, failed, pages: failed ? [] : [page] };
  });
}
