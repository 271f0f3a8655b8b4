import { address } from '../../api/client.ts';
import { ButtonLink } from '../../components/button.tsx';

const FORMATS = [
  ['pdf', 'PDF'],
  ['csv', 'CSV'],
] as const;

interface DownloadsProps {
  accountId: string;
  month: string;
  size?: 'small' | 'normal';
}

/** A statement as files. */
export function Downloads({ accountId, month, size = 'normal' }: DownloadsProps) {
  const path = { account_id: accountId, month };
  return (
    <span className="row">
      {FORMATS.map(([format, name]) => (
        <ButtonLink
          key={format}
          download
          look={size === 'small' ? 'quiet' : 'secondary'}
          size={size}
          href={address('GET /accounts/{account_id}/statements/{month}/document', { path, query: { format } })}
        >
          {name}
        </ButtonLink>
      ))}
    </span>
  );
}
