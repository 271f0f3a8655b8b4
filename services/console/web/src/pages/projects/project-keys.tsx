import { useAccount } from '../../account/account-context.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Empty } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { KeysTable, useKeys } from '../keys/keys-table.tsx';
import { NewKeyDialog } from '../keys/new-key-dialog.tsx';
import type { Project } from './nodes.ts';

/** The keys of a project with what they have spent. */
export function ProjectKeys({ project }: { project: Project }) {
  const { project_id } = project;
  const account = useAccount();
  const [params, setParams] = useSearchParams();
  const keys = useKeys({ status: 'active', project_id });
  const mayCreate = account.may('operator', 'owner', 'admin', 'developer');
  const create = mayCreate && <Button onPress={() => setParams({ new: '1' })}>Create key</Button>;
  return (
    <Section
      title="Keys"
      actions={
        keys.rows?.length !== 0 && (
          <>
            <ButtonLink href={account.href(`/keys?project=${project_id}`)}>Find a key</ButtonLink>
            {create}
          </>
        )
      }
    >
      <KeysTable {...keys} label="Keys" empty={<Empty title="No keys in this project yet" action={create} />} />
      {mayCreate && params['new'] === '1' && (
        <NewKeyDialog
          place={{ projectId: project_id, serviceAccountId: params['owner'] ?? '' }}
          onClose={() => setParams({ new: undefined, owner: undefined })}
        />
      )}
    </Section>
  );
}
