import type { ReactNode } from 'react';
import { Link } from 'wouter';

/** The title of a row that opens a page, as a link: it can be opened in a new tab. The keyboard opens the row itself. */
export function RowLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} tabIndex={-1}>
      {children}
    </Link>
  );
}
