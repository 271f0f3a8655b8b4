import { Section } from '../../components/page.tsx';
import { KeysTable, useKeys } from './keys-table.tsx';

/** The keys that were made with a key; nothing for a key without any. */
export function DerivedKeys({ parentKeyId }: { parentKeyId: string }) {
  const keys = useKeys({ status: 'active', parent_key_id: parentKeyId });
  if (!keys.list.isError && (keys.rows === undefined || keys.rows.length === 0)) return null;
  return (
    <Section title="Derived keys" about="Made with this key. Its limits, caps and end apply to them too.">
      <KeysTable {...keys} label="Derived keys" empty={null} />
    </Section>
  );
}
