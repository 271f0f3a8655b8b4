import type { Column } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { KeyStatus } from '../keys/key-status.tsx';
import { AppliedCapsCell, LimitsCell, ModelsCell } from '../shared/limits/limit-cells.tsx';
import type { Project, ProjectMember, ServiceAccount } from './nodes.ts';

/** What projects, service accounts and members in projects have in common. */
export function nodeColumns<N extends Project | ServiceAccount | ProjectMember>(): Column<N>[] {
  return [
    {
      id: 'caps',
      title: 'Caps',
      width: 144,
      grow: 1,
      priority: 3,
      phone: 'detail',
      cell: ({ applied_caps }) => <AppliedCapsCell caps={applied_caps} />,
    },
    {
      id: 'limits',
      title: 'Limits',
      width: 128,
      grow: 1,
      priority: 4,
      cell: ({ limits }) => <LimitsCell limits={limits} />,
    },
    {
      id: 'models',
      title: 'Models',
      width: 112,
      grow: 1,
      priority: 5,
      cell: ({ allowed_models }) => <ModelsCell ids={allowed_models} />,
    },
    {
      id: 'expires',
      title: 'Expires',
      width: 112,
      priority: 6,
      cell: ({ expires_at }) =>
        expires_at === null ? <span className="muted">Never</span> : <Time value={expires_at} />,
    },
    {
      id: 'status',
      title: 'Status',
      width: 88,
      priority: 1,
      phone: 'value',
      cell: ({ status }) => <KeyStatus status={status} />,
    },
  ];
}
