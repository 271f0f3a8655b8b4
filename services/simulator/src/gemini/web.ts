import type { Plan } from '../model/plan.ts';
import type { WebTool, WebUse } from '../model/web.ts';
import { wrapReasoning } from '../model/wrapped-reasoning.ts';
import type { GenerateBody } from './schema.ts';

/** The web tools of a request. Google has no tool choice for them. */
export function webToolsOf({ tools = [] }: GenerateBody): WebTool[] {
  const declared = tools.flatMap((tool) => Object.values(tool));
  const forced = declared.length === 1;
  return tools.flatMap(({ googleSearch, urlContext }): WebTool[] => [
    ...(googleSearch === undefined ? [] : [{ kind: 'search' as const, forced }]),
    ...(urlContext === undefined ? [] : [{ kind: 'fetch' as const, forced }]),
  ]);
}

/** The parts of the uses, in responses to requests with `includeServerSideToolInvocations`. */
export function webParts(plan: Plan): object[] {
  return (plan.web?.uses ?? []).flatMap((use, index) => {
    const id = `srv${plan.digest.slice(0, 8)}${index}`;
    const thoughtSignature = wrapReasoning({ kind: 'gemini', text: id });
    const { toolType, args, response } = contentOf(use);
    return [
      { toolCall: { toolType, args, id }, thoughtSignature },
      { toolResponse: { toolType, response, id }, thoughtSignature },
    ];
  });
}

function contentOf({ kind, query }: WebUse) {
  switch (kind) {
    case 'search':
      return {
        toolType: 'GOOGLE_SEARCH_WEB',
        args: { queries: [query] },
        response: { search_suggestions: `<div>${query}</div>` },
      };
    case 'fetch':
      return { toolType: 'URL_CONTEXT', args: { urls: [query] }, response: { urls_metadata: [urlMetadata(query)] } };
    default:
      return kind satisfies never;
  }
}

/** What a candidate says about its searches and pages, besides what cites them. */
export function webMetadata({ web }: Plan): { search: object; pages: object } {
  const queries = (web?.uses ?? []).flatMap(({ kind, query }) => (kind === 'search' ? [query] : []));
  const urls = (web?.uses ?? []).flatMap(({ kind, query }) => (kind === 'fetch' ? [query] : []));
  const searchEntryPoint = { renderedContent: queries.map((query) => `<div>${query}</div>`).join('') };
  return {
    search: queries.length === 0 ? {} : { webSearchQueries: queries, searchEntryPoint },
    pages: urls.length === 0 ? {} : { urlContextMetadata: { urlMetadata: urls.map(urlMetadata) } },
  };
}

function urlMetadata(url: string) {
  return { retrievedUrl: url, urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS' };
}
