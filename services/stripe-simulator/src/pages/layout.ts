import { createHash } from 'node:crypto';
import { Html, html } from './html.ts';

const STYLE = `
:root { color-scheme: light dark; --line: #c9ced8; --soft: #f3f5f9; --text: #1a1f2b; --back: #fff; --strong: #3c3ccf; --warn: #fff1cc; --warn-text: #5c3d00; --bad: #a3152a; }
@media (prefers-color-scheme: dark) { :root { --line: #454c5c; --soft: #232834; --text: #eceff5; --back: #171b24; --strong: #a5a8ff; --warn: #463507; --warn-text: #ffe3a0; --bad: #ff98a6; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); }
.banner { margin: 0; background: var(--warn); color: var(--warn-text); padding: 12px 16px; text-align: center; font-weight: 600; }
main { max-width: 480px; margin: 0 auto; padding: 24px 16px 48px; }
h1 { font-size: 1rem; font-weight: 500; margin: 0; }
.amount { font-size: 2.25rem; font-weight: 650; margin: 0 0 16px; }
table { width: 100%; border-collapse: collapse; margin: 0 0 24px; }
th, td { padding: 8px 0; border-bottom: 1px solid var(--line); text-align: left; font-weight: 400; overflow-wrap: anywhere; }
td { text-align: right; white-space: nowrap; padding-left: 16px; }
fieldset { border: 1px solid var(--line); border-radius: 10px; margin: 0 0 20px; padding: 0; overflow: hidden; }
legend { font-weight: 600; padding: 10px 12px; float: left; width: 100%; background: var(--soft); }
.choice { clear: both; display: flex; gap: 12px; align-items: flex-start; padding: 12px; border-top: 1px solid var(--line); cursor: pointer; min-height: 48px; }
.choice:hover { background: var(--soft); }
.choice input { margin: 5px 0 0; flex: none; }
.choice small { display: block; opacity: .8; }
button, .back { display: block; width: 100%; font: inherit; font-weight: 600; text-align: center; border-radius: 10px; padding: 12px; margin: 0 0 12px; min-height: 48px; text-decoration: none; }
button { background: var(--strong); color: var(--back); border: 1px solid var(--strong); cursor: pointer; }
button.second, .back { background: transparent; color: var(--strong); border: 1px solid var(--strong); }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
.error { border: 1px solid var(--bad); color: var(--bad); border-radius: 10px; padding: 12px; margin: 0 0 20px; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** What every page says first. */
export const BANNER = 'Simulated payment: no money moves';

/** An answer to a browser. */
export interface Page {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** @param targets addresses to which a form of the page may lead */
export function pageOf(status: number, title: string, content: Html, targets: readonly (string | null)[] = []): Page {
  const origins = targets.flatMap((target) => (target === null ? [] : (URL.parse(target)?.origin ?? [])));
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'sha256-${STYLE_HASH}'`,
      'img-src data:',
      // Browsers hold the pages to which a form redirects to this too.
      `form-action ${["'self'", ...new Set(origins)].join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
</head>
<body>
<header class="banner">${BANNER}</header>
<main>
${content}
</main>
</body>
</html>
`;
  return { status, headers, body: text };
}

/** Sends the browser on after a form. */
export function redirectTo(url: string): Page {
  return { status: 303, headers: { location: URL.parse(url)?.href ?? '/', 'cache-control': 'no-store' }, body: '' };
}

/** An amount in words, such as `$20.00`. */
export function amountText(cents: number, currency: string): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(cents / 100);
}
