/** Starts a thread whose module is TypeScript, since workers do not inherit `--import tsx`. */
import { register } from 'tsx/esm/api';

register();
await import(process.argv[2]);
