import { useState } from 'preact/hooks';
import type { CommandResult } from '../../types/commands.js';
import { post } from '../api.js';
import { duration, t } from '../i18n.js';
import { CheckInput, Form, TextInput } from '../ui/inputs.js';
import { Reply } from '../ui/reply.js';

interface Input {
  readonly id: number;
  readonly name: string;
  readonly value: string;
}

let nextId = 1;
const EXAMPLE = `-- The inputs are local variables.
return redis.call('GET', key)`;

/** A Lua script whose keys and arguments have names. */
export function ScriptForm({ isReadOnly }: { readonly isReadOnly: boolean }) {
  const [lua, setLua] = useState(EXAMPLE);
  const [keys, setKeys] = useState<readonly Input[]>([{ id: 0, name: 'key', value: '' }]);
  const [args, setArgs] = useState<readonly Input[]>([]);
  const [readOnly, setReadOnly] = useState(isReadOnly);
  const [result, setResult] = useState<CommandResult | Error>();
  const run = async (): Promise<void> => {
    const named = (inputs: readonly Input[]): object[] => inputs.map(({ name, value }) => ({ name, value }));
    const body = { lua, keys: named(keys), args: named(args), readOnly };
    setResult(await post<CommandResult>('commands/script', body).catch((error: Error) => error));
  };
  return (
    <Form class="panel" submit={run}>
      <TextInput label="Lua" rows={12} value={lua} set={setLua} />
      <Inputs title={t('Keys')} add={t('Add a key')} inputs={keys} change={setKeys} />
      <Inputs title={t('Arguments')} add={t('Add an argument')} inputs={args} change={setArgs} />
      <CheckInput label={t('It may only read')} value={readOnly} set={setReadOnly} isFixed={isReadOnly} />
      <div>
        <button type="submit" class="main">
          {t('Run')}
        </button>
      </div>
      <div aria-live="polite">
        {result instanceof Error && <span class="reply-error">{result.message}</span>}
        {result !== undefined && !(result instanceof Error) && (
          <>
            <Reply reply={result.reply} /> <span class="dim">{duration(result.ms)}</span>
          </>
        )}
      </div>
    </Form>
  );
}

interface InputsProps {
  readonly title: string;
  readonly add: string;
  readonly inputs: readonly Input[];
  change(inputs: readonly Input[]): void;
}

function Inputs({ title, add, inputs, change }: InputsProps) {
  const set = (id: number, changed: Partial<Input>): void =>
    change(inputs.map((input) => (input.id === id ? { ...input, ...changed } : input)));
  return (
    <fieldset>
      <legend>{title}</legend>
      {inputs.map(({ id, name, value }) => (
        <div key={id} class="row">
          <label>
            {t('Name')}
            <input
              class="mono"
              value={name}
              required
              pattern="[A-Za-z_]\w*"
              onInput={(event) => set(id, { name: event.currentTarget.value })}
            />
          </label>
          <label class="grow">
            {t('Value')}
            <input
              class="mono"
              value={value}
              onInput={(event) => set(id, { value: event.currentTarget.value })}
            />
          </label>
          <button
            type="button"
            class="quiet"
            aria-label={t('Remove {name}', { name })}
            onClick={() => change(inputs.filter((input) => input.id !== id))}
          >
            ×
          </button>
        </div>
      ))}
      <button
        type="button"
        class="quiet"
        onClick={() => change([...inputs, { id: nextId++, name: '', value: '' }])}
      >
        {add}
      </button>
    </fieldset>
  );
}
