import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../i18n.js';
import { Dialog } from './dialog.js';
import { TextInput } from './inputs.js';
import { attempt } from './notices.js';

interface ChangeDialogProps {
  readonly title: string;
  /** The text of the main button. */
  readonly action: string;
  /** Told when it is done. */
  readonly done?: string;
  readonly children: ComponentChildren;
  close(): void;
  /** Sends the change. The dialog stays open if it rejects. */
  save(): Promise<unknown>;
  saved(): void;
}

/** A dialog that sends a change. */
export function ChangeDialog({ title, action, done, children, close, save, saved }: ChangeDialogProps) {
  const submit = async (): Promise<void> => {
    if (!(await attempt(save, done))) return;
    close();
    saved();
  };
  return (
    <Dialog title={title} action={action} close={close} submit={() => void submit()}>
      {children}
    </Dialog>
  );
}

export interface EditInput {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly isLong?: boolean;
  readonly isFixed?: boolean;
}

interface EditDialogProps {
  readonly title: string;
  readonly inputs: readonly EditInput[];
  close(): void;
  save(values: Readonly<Record<string, string>>): Promise<unknown>;
  saved(): void;
}

/** Asks for some texts and sends them as a change. */
export function EditDialog({ title, inputs, close, save, saved }: EditDialogProps) {
  const [values, setValues] = useState(() =>
    Object.fromEntries(inputs.map(({ name, value }) => [name, value])),
  );
  return (
    <ChangeDialog
      title={title}
      action={t('Save')}
      done={t('Saved.')}
      close={close}
      save={() => save(values)}
      saved={saved}
    >
      {inputs.map(({ name, label, isLong, isFixed }) => (
        <TextInput
          key={name}
          label={label}
          value={values[name] ?? ''}
          set={(value) => setValues({ ...values, [name]: value })}
          {...(isLong === true ? { rows: 8 } : {})}
          isFixed={isFixed === true}
        />
      ))}
    </ChangeDialog>
  );
}
