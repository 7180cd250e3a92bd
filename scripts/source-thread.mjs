/** Starts a thread whose module is TypeScript, since workers do not inherit `--import tsx`. */
import { isTranspiled, sourceModule } from './transpiled.mjs';

if (!isTranspiled) (await import('tsx/esm/api')).register();
await import(sourceModule(process.argv[2]));
