import styles from './code.module.css';
import { CopyButton } from './copy-button.tsx';
import { Tabs } from './tabs.tsx';

/** Code or output that can be copied. */
export function Code({ text, what = 'code' }: { text: string; what?: string }) {
  return (
    <div className={styles['code']}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}

interface CodeTabsProps {
  label: string;
  snippets: readonly { id: string; title: string; text: string; note?: string }[];
}

/** The same for several tools. */
export function CodeTabs({ label, snippets }: CodeTabsProps) {
  return (
    <Tabs
      label={label}
      tabs={snippets.map(({ id, title, text, note }) => ({
        id,
        title,
        content: (
          <>
            <Code text={text} what={`${title} snippet`} />
            {note !== undefined && <p className={`muted small ${styles['note']}`}>{note}</p>}
          </>
        ),
      }))}
    />
  );
}
