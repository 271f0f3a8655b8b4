import { Button } from '../../components/button.tsx';
import forms from '../../components/forms.module.css';
import { toast } from '../../components/toast.tsx';
import { useChangeProject } from './change-project.ts';
import { NodeForm, type Raise } from './node-form.tsx';
import type { Project } from './nodes.ts';
import styles from './projects.module.css';

/** Everything of a project that can be changed. */
export function ProjectSettings({ project, raise }: { project: Project; raise: Raise }) {
  const change = useChangeProject(null);
  return (
    <div className={styles['form']}>
      <NodeForm
        node={project}
        hasName={!project.is_default}
        mayEnd={!project.is_default}
        raise={raise}
        failed="The project was not changed."
        error={change.error}
        onSubmit={({ changes, saved }) =>
          change.save(project, changes, (changed) => {
            saved(changed);
            toast({ kind: 'done', message: 'The project is changed at every ingress.' });
          })
        }
        actions={({ isChanged, discard }) => (
          <div className={forms['submit']}>
            <Button look="primary" type="submit" isDisabled={!isChanged} pending={change.isPending && 'Saving'}>
              Save changes
            </Button>
            {isChanged && <Button onPress={discard}>Discard</Button>}
          </div>
        )}
      />
    </div>
  );
}
