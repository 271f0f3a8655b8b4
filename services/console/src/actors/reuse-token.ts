import type { IssuedToken } from './issued-token.ts';

const REUSE_MS = 20_000;

type IssueToken = (accountId: string | undefined) => Promise<IssuedToken>;

/** Uses a token of one request again for a moment, so that a long export asks auth now and then, and not for each page. */
export function reuseToken(issue: IssueToken): IssueToken {
  let last: { accountId: string | undefined; token: Promise<IssuedToken>; until: number } | undefined;
  return (accountId) => {
    if (last?.accountId !== accountId || last === undefined || last.until <= performance.now()) {
      last = { accountId, token: issue(accountId), until: performance.now() + REUSE_MS };
    }
    return last.token;
  };
}
