import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { useRead } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Money } from '../../components/money.tsx';
import { ErrorNote, Note } from '../../components/note.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { useProjects } from '../projects/use-projects.ts';
import { AppliedCapText } from '../shared/limits/limit-cells.tsx';
import { CapReached } from './cap-reached.tsx';
import { CapUsages } from './cap-usage.tsx';
import { reachedCap } from './caps.ts';
import { Snippets } from './created-key.tsx';
import { DeleteKeyDialog } from './delete-key-dialog.tsx';
import { DerivedKeys } from './derived-keys.tsx';
import type { Key } from './draft.ts';
import { EditKeyForm } from './edit-key-form.tsx';
import { FirstRequest } from './first-request.tsx';
import { KeySpend } from './key-spend.tsx';
import { KeyStatus } from './key-status.tsx';
import { LastUsed } from './last-used.tsx';
import { MoveKeyDialog } from './move-key-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

/** Someone watches a key because it spends. */
const REFRESH_MS = 3_000;

/** One key: what it has spent, its settings, rotation and deletion. */
export function KeyPage() {
  const { accountId } = useAccount();
  const { key_id: keyId = '' } = useParams();
  const key = useRead(
    'GET /accounts/{account_id}/keys/{key_id}',
    { path: { account_id: accountId, key_id: keyId } },
    { refetchInterval: REFRESH_MS },
  );
  if (key.data !== undefined) return <LoadedKey apiKey={key.data} />;
  return (
    <Page title="Key">
      {key.isError ? (
        <ErrorNote title="The key could not be loaded." error={key.error} onRetry={key.refetch} />
      ) : (
        <SkeletonBlock height={320} />
      )}
    </Page>
  );
}

function LoadedKey({ apiKey: key }: { apiKey: Key }) {
  const account = useAccount();
  const [params, setParams] = useSearchParams();
  const [rotating, setRotating] = useState(false);
  const [moving, setMoving] = useState(false);
  // Someone with a key in use rarely needs it, and it takes the list of models.
  const [showsCode, setShowsCode] = useState(key.last_used_at === null);
  const reached = reachedCap(key.cap_usage);
  const { session } = key.applied_caps;
  const mayDelete = account.may('operator', 'owner', 'admin', 'developer');
  const mayChange = mayDelete && key.status !== 'deleted';
  const isInProject = useIsInProject(key);
  const mayMove = account.may('operator', 'owner', 'admin') && isInProject === true && key.parent_key_id === null;
  return (
    <Page
      title={key.name}
      about={
        <span className="row">
          <KeyStatus status={key.status} caps={key.cap_usage} />
          <code>
            {key.display_prefix}…{key.last_four}
          </code>
        </span>
      }
      actions={
        mayChange && (
          <>
            <Button onPress={() => setRotating(true)}>Rotate</Button>
            <Button look="danger" onPress={() => setParams({ delete: '1' })}>
              Delete key
            </Button>
          </>
        )
      }
    >
      {key.status === 'deleted' && <Note>This key is deleted for good. Its requests stay on record.</Note>}
      {key.status === 'expired' && <Note tone="warn">This key has expired. Set a later time to use it again.</Note>}
      {key.status === 'off' && (
        <Note tone="warn">
          {isInProject === false
            ? 'The project of this key is deleted, and the key with it: its requests are refused for good.'
            : 'The project or the owner of this key, or a key above it, is switched off or has ended, so its requests are refused.'}
        </Note>
      )}
      {key.status === 'active' && reached !== undefined && (
        <CapReached cap={reached} projectId={key.project_id} onRaise={() => setParams({ raise: reached.period })} />
      )}
      <Facts
        facts={[
          { label: 'Spent this month', figure: <Money value={key.spent_this_month} /> },
          { label: 'Last used', value: <LastUsed usedAt={key.last_used_at} spent={key.spent_this_month} /> },
          {
            label: 'Project',
            value: (
              <span className="row">
                {isInProject === false ? (
                  `${key.project_name} (deleted)`
                ) : (
                  <Link href={account.href(`/projects/${key.project_id}`)}>{key.project_name}</Link>
                )}
                {mayMove && (
                  <Button look="quiet" size="small" onPress={() => setMoving(true)}>
                    Move
                  </Button>
                )}
              </span>
            ),
          },
          { label: 'Owner', value: key.owner?.name ?? 'None' },
          { label: 'Created', value: <Time value={key.created_at} /> },
          key.parent_key_id === null
            ? { label: 'Created by', value: key.created_by?.name ?? 'Operator' }
            : {
                label: 'Made with',
                value: <Link href={account.href(`/keys/${key.parent_key_id}`)}>Its parent key</Link>,
              },
          ...(session === null ? [] : [{ label: 'Each session', value: <AppliedCapText cap={session} /> }]),
          { label: 'Expires', value: key.expires_at === null ? 'Never' : <Time value={key.expires_at} /> },
          ...(key.previous_value_until === null
            ? []
            : [{ label: 'Previous value ends', value: <Time value={key.previous_value_until} /> }]),
          {
            label: 'Requests',
            value: <Link href={`${account.href('/requests')}?key=${key.key_id}`}>Show requests</Link>,
          },
        ]}
      />
      <KeySpend key={key.key_id} keyId={key.key_id} />
      {key.cap_usage.length > 0 && (
        <Section title="Caps" about="What is above the key has caps too: the tighter one decides.">
          <CapUsages usages={key.cap_usage} />
        </Section>
      )}
      <DerivedKeys key={`below ${key.key_id}`} parentKeyId={key.key_id} />
      {mayChange && (
        <Section title="Settings" about="A change is in force at every ingress as soon as it is saved.">
          <EditKeyForm
            key={key.key_id}
            apiKey={key}
            raise={params['raise']}
            onRaising={() => setParams({ raise: undefined })}
          />
        </Section>
      )}
      {mayChange && (
        <Section title="Use it">
          {showsCode ? (
            <Snippets secret={null} allowedModels={key.allowed_models} />
          ) : (
            <div>
              <Button onPress={() => setShowsCode(true)}>Show code for each client</Button>
            </div>
          )}
          {key.last_used_at === null && <FirstRequest keyId={key.key_id} since={key.created_at} />}
        </Section>
      )}
      {rotating && <RotateDialog keyId={key.key_id} name={key.name} onClose={() => setRotating(false)} />}
      {moving && <MoveKeyDialog apiKey={key} onClose={() => setMoving(false)} />}
      {params['delete'] === '1' && mayDelete && (
        <DeleteKeyDialog
          accountId={key.account_id}
          keyId={key.key_id}
          name={key.name}
          lastFour={key.last_four}
          onClose={() => setParams({ delete: undefined })}
        />
      )}
    </Page>
  );
}

/** Whether the project of a key is there; null while that is not known. Keys of a deleted one are off for good. */
function useIsInProject({ status, project_id }: Key): boolean | null {
  const { projects, isIncomplete } = useProjects(status === 'off');
  if (status !== 'off') return status !== 'deleted';
  if (projects?.some((each) => each.project_id === project_id)) return true;
  return projects === undefined || isIncomplete ? null : false;
}
