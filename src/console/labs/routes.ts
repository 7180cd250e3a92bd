import { ApiError, invalid, readOnly } from '../frame/api-error.js';
import { type ApiCall, type ApiRoute, read, stream } from '../frame/route.js';
import type { LabInfo } from '../types/labs.js';
import type { Lab } from './lab.js';
import { LABS, parseValues, runLab } from './labs.js';

const infoOf = ({ name, title, about, parameters, isOwnPlace }: Lab): LabInfo => ({
  ...{ name, title, about, parameters, isOwnPlace },
});

/** One experiment at a time: they measure, and would disturb each other. */
let isBusy = false;

/** The API of the labs. */
export const labRoutes: readonly ApiRoute[] = [
  read('labs', async (): Promise<{ readonly labs: readonly LabInfo[] }> => ({ labs: LABS.map(infoOf) })),

  stream('labs/run', async (call, emit) => {
    const { inputs, store, signal, isReadOnly } = call;
    const lab = LABS.find(({ name }) => name === inputs.text('lab'));
    if (lab === undefined) throw invalid(`there is no lab '${inputs.text('lab')}'`);
    // Also on an engine of its own it takes time and memory of the process.
    if (isReadOnly) throw readOnly();
    const place = inputs.oneOf('place', ['engine', 'store'], 'engine');
    const given = givenInputs(lab, call);
    if (isBusy) throw new ApiError(409, 'BUSY', 'another experiment is running: wait for it, or stop it');
    isBusy = true;
    try {
      const run = { lab, inputs: given, store: place === 'store' ? store : undefined, signal };
      for await (const update of runLab(run)) await emit('update', update);
    } finally {
      isBusy = false;
    }
  }),
];

/** Checked before anything runs. */
function givenInputs(lab: Lab, { inputs }: ApiCall): Record<string, string> {
  const given = lab.parameters.map((parameter) => {
    const text = inputs.text(parameter.name);
    try {
      parseValues(parameter, text);
    } catch (error) {
      throw invalid((error as Error).message);
    }
    return [parameter.name, text] as const;
  });
  return Object.fromEntries(given);
}
