/** `npm run shop -- [ADDRESS] [--port=8080]`, `npm run feed -- …`: installs, builds and starts an example on the built package. */
import { buildIfNeeded, installIfNeeded, runNode } from './steps.mjs';

const [example, ...parameters] = process.argv.slice(2);
installIfNeeded();
buildIfNeeded();
// Ctrl-C reaches the example too, which then stops in order.
process.on('SIGINT', () => {});
process.exit(runNode(['--import', 'tsx', `examples/${example}/main.ts`, ...parameters]));
