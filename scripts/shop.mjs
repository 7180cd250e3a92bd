/** `npm run shop -- [ADDRESS] [--port=8080]`: installs, builds and starts the example shop on the built package. */
import { buildIfNeeded, installIfNeeded, runNode } from './steps.mjs';

installIfNeeded();
buildIfNeeded();
// Ctrl-C reaches the shop too, which then stops in order.
process.on('SIGINT', () => {});
process.exit(runNode(['--import', 'tsx', 'examples/shop/main.ts', ...process.argv.slice(2)]));
