/**
 * The program of a sandbox, run from a string: bundlers know of no separate file. It loads the module of the handler and runs
 * one task at a time. Messages to it: `start` (module, export), `run` (data as JSON, task), `abort` (why), `reply` (to a
 * `call`). Messages from it: `ready`, `call` (a method of the task), `done` (result as JSON), `failed` (error).
 */
export const SANDBOX_PROGRAM = `
const { parentPort } = require('node:worker_threads');
const send = (message) => (parentPort === null ? process.send(message) : parentPort.postMessage(message));
(parentPort ?? process).on('message', (message) => actions[message.type](message));
// The process that it works for is gone.
if (parentPort === null) process.once('disconnect', () => process.exit(1));

let handler;
let controller = new AbortController();
let lastCall = 0;
const calls = new Map();

// Of the right types, whatever was thrown: messages can only hold some values.
function problemOf(error) {
  const part = (name, type, fallback) => {
    try {
      return typeof error[name] === type ? error[name] : fallback;
    } catch {
      return fallback;
    }
  };
  if (!(error instanceof Error)) return { name: 'Error', message: shown(error) };
  return {
    name: part('name', 'string', 'Error'),
    message: part('message', 'string', 'an error whose message cannot be read'),
    code: part('code', 'string'),
    stack: part('stack', 'string'),
    delay: part('delay', 'number'),
  };
}

function shown(value) {
  try {
    return String(value);
  } catch {
    return 'a value that cannot be shown';
  }
}

function errorOf({ message, ...rest }) {
  return Object.assign(new Error(message), rest);
}

function call(method, args) {
  return new Promise((resolve, reject) => {
    calls.set(++lastCall, { resolve, reject });
    send({ type: 'call', number: lastCall, method, args });
  });
}

const METHODS = ['progress', 'log', 'update', 'inputs', 'deadInputs'];

const actions = {
  async start({ module, exported }) {
    try {
      const found = await import(module);
      // A CommonJS module can have its exports in \`default\`.
      handler = found[exported] ?? found.default?.[exported];
      if (typeof handler !== 'function') throw new Error(module + ' has no function ' + exported + ' among its exports');
      send({ type: 'ready' });
    } catch (error) {
      send({ type: 'failed', problem: problemOf(error) });
    }
  },
  async run({ data, task }) {
    controller = new AbortController();
    const methods = METHODS.map((method) => [method, (...args) => call(method, args)]);
    const context = { ...task, signal: controller.signal, ...Object.fromEntries(methods) };
    try {
      const result = await handler(data === '' ? undefined : JSON.parse(data), context);
      send({ type: 'done', result: result === undefined ? '' : (JSON.stringify(result) ?? '') });
    } catch (error) {
      send({ type: 'failed', problem: problemOf(error) });
    }
  },
  abort({ problem }) {
    controller.abort(errorOf(problem));
  },
  reply({ number, value, problem }) {
    const { resolve, reject } = calls.get(number);
    calls.delete(number);
    if (problem === undefined) resolve(value);
    else reject(errorOf(problem));
  },
};
`;
