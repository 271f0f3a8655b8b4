import type { Plan } from '../model/plan.ts';
import type { WebTool, WebUse } from '../model/web.ts';
import { chosenName, declaredTools } from './request.ts';
import type { InputTool, ResponsesBody } from './schema.ts';
import { isWebSearch } from './web-schema.ts';

export interface WebSearchItem {
  type: 'web_search_call';
  id: string;
  status: 'completed';
  action:
    | { type: 'search'; query: string; queries: string[]; sources?: { type: 'url'; url: string }[] }
    | { type: 'open_page'; url: string }
    | { type: 'find_in_page'; url: string; pattern: string };
}

/** The web tools of a request: one tool both searches and opens pages. Only a search is forced. */
export function webToolsOf(body: ResponsesBody): WebTool[] {
  const offered = declaredTools(body).filter((tool) => isOffered(tool, body.tool_choice));
  if (!offered.some(({ type }) => isWebSearch(type))) return [];
  return [
    { kind: 'search', forced: offered.every(({ type }) => isWebSearch(type)) },
    { kind: 'fetch', forced: false },
  ];
}

function isOffered(tool: InputTool, choice: ResponsesBody['tool_choice']): boolean {
  if (choice == null || choice === 'auto' || choice === 'required') return true;
  if (choice === 'none') return false;
  const chosen = choice.type === 'allowed_tools' ? choice.tools : [choice];
  return chosen.some((one) => chosenName(one) === chosenName(tool));
}

/** The items of the uses. Every second page that is opened is one that text is found in. */
export function webItems({ digest, web }: Plan, hasSources: boolean): WebSearchItem[] {
  const uses = web?.uses ?? [];
  const searches = web?.searches ?? 0;
  return uses.map((use, index) => ({
    type: 'web_search_call',
    id: `ws_sim${digest.slice(0, 38)}${index}`,
    status: 'completed',
    action: actionOf(use, index - searches, hasSources),
  }));
}

/** @param fetched number of the opened page */
function actionOf({ kind, query, pages }: WebUse, fetched: number, hasSources: boolean): WebSearchItem['action'] {
  switch (kind) {
    case 'search': {
      const sources = pages.map(({ url }) => ({ type: 'url' as const, url }));
      return { type: 'search', query, queries: [query], ...(hasSources ? { sources } : {}) };
    }
    case 'fetch':
      return fetched % 2 === 0
        ? { type: 'open_page', url: query }
        : { type: 'find_in_page', url: query, pattern: 'simulated' };
    default:
      return kind satisfies never;
  }
}
