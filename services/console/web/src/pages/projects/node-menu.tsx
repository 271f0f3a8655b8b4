import { MoreIcon } from '../../components/icons.tsx';
import { Menu, type MenuEntry } from '../../components/menu.tsx';

interface NodeMenuProps {
  /** Of a service account or a member. */
  name: string;
  enabled: boolean;
  onEdit: () => void;
  onSwitch: (enabled: boolean) => void;
  /** More entries, after these. */
  more?: readonly MenuEntry[];
}

/** What can be done in the row of a service account or a member. */
export function NodeMenu({ name, enabled, onEdit, onSwitch, more = [] }: NodeMenuProps) {
  return (
    <Menu
      label={`Actions for ${name}`}
      size="small"
      entries={[
        { label: 'Edit', onAction: onEdit },
        { label: enabled ? 'Switch off' : 'Switch on', onAction: () => onSwitch(!enabled) },
        ...more,
      ]}
    >
      <MoreIcon />
    </Menu>
  );
}
