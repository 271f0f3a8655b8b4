import type { Mail } from './mailer.ts';

/** The content of an e-mail: paragraphs, and at most one link. */
export interface MailContent {
  kind: string;
  to: string;
  subject: string;
  paragraphs: readonly string[];
  link?: { label: string; url: string };
  /** After the link. */
  closing: readonly string[];
}

/** Renders an e-mail as text and as HTML that loads nothing. */
export function renderMail({ kind, to, subject, paragraphs, link, closing }: MailContent): Mail {
  const text = [...paragraphs, ...(link === undefined ? [] : [`${link.label}:\n${link.url}`]), ...closing].join('\n\n');
  const html = [
    ...paragraphs.map(paragraph),
    ...(link === undefined ? [] : [`<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`]),
    ...closing.map(paragraph),
  ].join('\n');
  return { kind, to, subject: oneLine(subject), text: `${text}\n`, html: frame(html) };
}

function frame(content: string): string {
  const style = 'font: 15px/1.5 system-ui, sans-serif; max-width: 560px; margin: 24px auto; padding: 0 16px';
  return `<!doctype html>\n<html lang="en"><body style="${style}">\n${content}\n</body></html>\n`;
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Names of accounts stand in subjects: a line break would begin another header. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
