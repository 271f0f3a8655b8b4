import { useAccount } from '../../account/account-context.tsx';
import { ButtonLink } from '../../components/button.tsx';
import { Note } from '../../components/note.tsx';
import { AskForMore } from '../limit-requests/ask-for-more.tsx';
import { askableLimit, type RefusalAction, type RefusingLimit, refusalAction } from './refusal-action.ts';
import styles from './request.module.css';
import type { Request } from './timeline.ts';

interface RefusalNoteProps {
  request: Request;
  refusal: NonNullable<Request['refusal']>;
}

/** Why a request was refused, and the way to make the next one succeed. */
export function RefusalNote({ request, refusal }: RefusalNoteProps) {
  const { href, is, may } = useAccount();
  const action = refusalAction(request.reason, request.key_name, refusal.limit, {
    keys: may('operator', 'owner', 'admin', 'developer'),
    caps: may('operator', 'owner', 'admin'),
    money: is('operator', 'owner', 'billing'),
  });
  const asked = askableLimit(request, refusal.limit, may('operator', 'owner', 'admin'));
  const mayAsk = asked !== null && may('operator', 'owner', 'admin', 'developer');
  return (
    <Note
      tone="warn"
      title={refusal.sentence}
      action={
        action !== null && (
          <div className={styles['action']}>
            <ButtonLink look="primary" href={href(pathOf(action, request, refusal.limit))}>
              {action.label}
            </ButtonLink>
          </div>
        )
      }
    >
      {refusal.action}
      {mayAsk && <AskForMore limit={asked} />}
    </Note>
  );
}

function pathOf(
  { target, section }: RefusalAction,
  { request_id, key_id: keyId }: Request,
  limit: RefusingLimit | null,
): `/${string}` {
  switch (target) {
    case 'top_up':
      return `/top-up?request=${request_id}`;
    case 'key':
      if (section !== 'caps') return `/keys/${keyId}`;
      return limit === null ? `/keys/${keyId}?raise=tightest` : `/keys/${limit.id}?raise=${limit.window}`;
    case 'project':
      return `/projects/${limit?.project_id}?node=${limit?.id}&raise=${limit?.window}`;
    case 'new_key':
      return '/keys?new=1';
    case 'models':
      return '/models';
    default:
      return target satisfies never;
  }
}
