import { useId, useState } from 'preact/hooks';
import type { Action, ActionInput, ActionResult } from '../../types/boards.js';
import { post } from '../api.js';
import { count, t } from '../i18n.js';
import { confirm } from '../ui/confirm.js';
import { Dialog } from '../ui/dialog.js';
import { tell, tellError } from '../ui/notices.js';
import type { Place } from './board.js';

/** An action that a person has chosen, and the row that it is for. */
export interface Chosen {
  readonly action: Action;
  readonly id?: string;
  /** Values of inputs that are known already. */
  readonly values?: Readonly<Record<string, string>>;
}

interface ActionRunner {
  /** What is being done now, in words; undefined if nothing is. */
  readonly running: string | undefined;
  /** An action whose inputs are being asked for. */
  readonly asking: Chosen | undefined;
  choose(chosen: Chosen): void;
  run(chosen: Chosen, inputs: Readonly<Record<string, string>>): Promise<void>;
  cancel(): void;
  stop(): void;
}

/** Asks what has to be asked, runs actions step by step, and tells what was done. */
export function useActions(place: Place, onDone: () => void): ActionRunner {
  const [asking, setAsking] = useState<Chosen>();
  const [running, setRunning] = useState<string>();
  const [stopping, setStopping] = useState<AbortController>();

  async function run({ action, id }: Chosen, inputs: Readonly<Record<string, string>>): Promise<void> {
    setAsking(undefined);
    const stop = new AbortController();
    setStopping(stop);
    setRunning(t(action.label));
    let done = 0;
    try {
      for (;;) {
        const body = { ...place, action: action.id, inputs, ...(id === undefined ? {} : { id }) };
        const result = await post<ActionResult>('boards/act', body, stop.signal);
        done += result.count ?? 0;
        if (result.hasMore !== true) {
          tell(done === (result.count ?? 0) ? result.message : t('{count} done.', { count: count(done) }));
          break;
        }
        setRunning(`${t(action.label)}: ${count(done)}`);
        onDone();
      }
    } catch (error) {
      tellError(error);
    }
    setRunning(undefined);
    onDone();
  }

  async function choose(chosen: Chosen): Promise<void> {
    const { action } = chosen;
    if ((action.inputs ?? []).length > 0) return setAsking(chosen);
    const isSure =
      action.confirm === undefined || (await confirm(t(action.label), t(action.confirm), t(action.label)));
    if (isSure) await run(chosen, {});
  }

  return {
    ...{ running, asking, run },
    choose: (chosen) => void choose(chosen),
    cancel: () => setAsking(undefined),
    stop: () => stopping?.abort(),
  };
}

/** Asks for the inputs of an action. */
export function InputsDialog({ runner }: { readonly runner: ActionRunner }) {
  const { asking } = runner;
  if (asking === undefined) return null;
  return <Inputs key={asking.action.id + (asking.id ?? '')} chosen={asking} runner={runner} />;
}

function Inputs({ chosen, runner }: { readonly chosen: Chosen; readonly runner: ActionRunner }) {
  const { action, values: given = {} } = chosen;
  const inputs = action.inputs ?? [];
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(inputs.map(({ name, value = '' }) => [name, given[name] ?? value])),
  );
  const set = (name: string, value: string): void => setValues({ ...values, [name]: value });
  return (
    <Dialog
      title={t(action.label)}
      action={t(action.label)}
      isDangerous={action.isDangerous === true}
      close={runner.cancel}
      submit={() => void runner.run(chosen, values)}
    >
      {action.confirm !== undefined && <p>{t(action.confirm)}</p>}
      {inputs.map((input) => (
        <Input key={input.name} input={input} value={values[input.name] ?? ''} set={set} />
      ))}
    </Dialog>
  );
}

interface InputProps {
  readonly input: ActionInput;
  readonly value: string;
  set(name: string, value: string): void;
}

function Input({ input: { name, label, format, isOptional }, value, set }: InputProps) {
  const id = useId();
  const isRequired = isOptional !== true;
  return (
    <div class="input">
      <label for={id}>{t(label)}</label>
      {format === 'json' ? (
        <textarea
          id={id}
          value={value}
          required={isRequired}
          rows={6}
          spellcheck={false}
          onInput={(event) => set(name, event.currentTarget.value)}
        />
      ) : (
        <input
          id={id}
          value={value}
          required={isRequired}
          inputMode={format === 'number' ? 'numeric' : 'text'}
          onInput={(event) => set(name, event.currentTarget.value)}
        />
      )}
    </div>
  );
}
