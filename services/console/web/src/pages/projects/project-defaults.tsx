import { useState } from 'react';
import { type ApiError, draftError } from '../../api/error.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import forms from '../../components/forms.module.css';
import { toast } from '../../components/toast.tsx';
import { DefaultFields } from '../shared/limits/default-fields.tsx';
import { CAPPED, DEFAULT_FIELDS, defaultsChanges, defaultsDraftOf } from '../shared/limits/defaults-draft.ts';
import type { Errors } from '../shared/limits/draft.ts';
import { useChangeProject } from './change-project.ts';
import type { Project } from './nodes.ts';
import projects from './projects.module.css';

/** What applies to whatever is below a project and has no less of its own. */
export function ProjectDefaults({ project }: { project: Project }) {
  const change = useChangeProject(null);
  const before = defaultsDraftOf(project);
  const [draft, setDraft] = useState(before);
  const [wrong, setWrong] = useState<ApiError | null>(null);
  const isChanged = DEFAULT_FIELDS.some((name) => draft[name] !== before[name]);
  const submit = () => {
    const errors: Errors = {};
    const changes = defaultsChanges(before, draft, errors);
    setWrong(Object.keys(errors).length > 0 ? draftError(errors) : null);
    if (Object.keys(errors).length > 0) return;
    change.save(project, changes, (changed) => {
      setDraft(defaultsDraftOf(changed));
      toast({ kind: 'done', message: 'The defaults apply at every ingress.' });
    });
  };
  return (
    <div className={projects['form']}>
      <CallForm
        failed="The defaults were not changed."
        error={wrong ?? change.error}
        fields={DEFAULT_FIELDS}
        onSubmit={submit}
      >
        <DefaultFields groups={CAPPED} draft={draft} onChange={setDraft} />
        <p className="muted small">
          All of them together may be allowed more than the project: its own caps still decide. A session is what
          clients name in x-tollgate-session, such as a run of an agent.
        </p>
        <div className={forms['submit']}>
          <Button look="primary" type="submit" isDisabled={!isChanged} pending={change.isPending && 'Saving'}>
            Save defaults
          </Button>
          {isChanged && <Button onPress={() => setDraft(before)}>Discard</Button>}
        </div>
      </CallForm>
    </div>
  );
}
