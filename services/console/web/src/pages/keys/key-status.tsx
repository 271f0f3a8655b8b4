import { Badge } from '../../components/badge.tsx';

const STATUS = {
  active: { tone: 'good', label: 'Active' },
  expired: { tone: 'warn', label: 'Expired' },
  deleted: { tone: 'neutral', label: 'Deleted' },
} as const;

export function KeyStatus({ status }: { status: keyof typeof STATUS }) {
  const { tone, label } = STATUS[status];
  return <Badge tone={tone}>{label}</Badge>;
}
