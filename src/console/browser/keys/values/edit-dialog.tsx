import { useState } from 'preact/hooks';
import { post, type WireBytes } from '../../api.js';
import { t } from '../../i18n.js';
import { confirm } from '../../ui/confirm.js';
import { Dialog } from '../../ui/dialog.js';
import { attempt } from '../../ui/notices.js';

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
  /** Sends the change. The dialog stays open if it rejects. */
  save(values: Readonly<Record<string, string>>): Promise<unknown>;
  saved(): void;
}

/** Asks for some texts and sends them as a change. */
export function EditDialog({ title, inputs, close, save, saved }: EditDialogProps) {
  const [values, setValues] = useState(() =>
    Object.fromEntries(inputs.map(({ name, value }) => [name, value])),
  );
  const submit = async (): Promise<void> => {
    if (!(await attempt(() => save(values), t('Saved.')))) return;
    close();
    saved();
  };
  return (
    <Dialog title={title} action={t('Save')} close={close} submit={() => void submit()}>
      {inputs.map(({ name, label, isLong, isFixed }) => {
        const shared = {
          value: values[name] ?? '',
          readOnly: isFixed === true,
          spellcheck: false,
          onInput: (event: { readonly currentTarget: { readonly value: string } }): void =>
            setValues({ ...values, [name]: event.currentTarget.value }),
        };
        return (
          // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside
          <label key={name}>
            {label}
            {isLong === true ? <textarea rows={8} {...shared} /> : <input {...shared} />}
          </label>
        );
      })}
    </Dialog>
  );
}

/** Sends a change inside a value. */
export function edit(key: WireBytes, name: string, body: object): Promise<unknown> {
  return post(`keys/edit/${name}`, { key, ...body });
}

/** Asks, then removes an element. */
export async function removeElement(
  key: WireBytes,
  name: string,
  body: object,
  removed: () => void,
): Promise<void> {
  if (!(await confirm(t('Remove this element?'), t('It cannot be brought back.'), t('Remove')))) return;
  if (await attempt(() => edit(key, name, body), t('Removed.'))) removed();
}
