import { type ReactNode, useEffect } from 'react';
import styles from './page.module.css';

interface PageProps {
  /** Also the title of the window. */
  title: string;
  /** Instead of the title as text. */
  heading?: ReactNode;
  /** Under the title. */
  about?: ReactNode;
  /** Right of the title: range, export, the primary button. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page: its head and its content, in one column. */
export function Page({ title, heading, about, actions, children }: PageProps) {
  useTitle(title);
  return (
    <div className={styles['page']}>
      <div className={styles['head']}>
        <div>
          <h1>{heading ?? title}</h1>
          {about !== undefined && <div className="muted">{about}</div>}
        </div>
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tollgate`;
  }, [title]);
}

interface SectionProps {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page under its own heading. */
export function Section({ title, about, actions, children }: SectionProps) {
  return (
    <section className={styles['section']}>
      <div className={styles['head']}>
        <div>
          <h2>{title}</h2>
          {about !== undefined && <div className="muted">{about}</div>}
        </div>
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** A name with a figure, such as an amount, or with a text. */
export type Fact = { label: string } & ({ figure: ReactNode } | { value: ReactNode });

interface FactsProps {
  facts: readonly Fact[];
}

/** Names and values, such as the parts of a balance. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl className={styles['facts']}>
      {facts.map((fact) => (
        <div key={fact.label}>
          <dt>{fact.label}</dt>
          {'figure' in fact ? <dd className={styles['figure']}>{fact.figure}</dd> : <dd>{fact.value}</dd>}
        </div>
      ))}
    </dl>
  );
}
