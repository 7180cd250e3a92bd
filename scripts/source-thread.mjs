/** The beginning of a thread whose module is TypeScript: workers do not inherit the compiler of `node --import tsx`. */
import { register } from 'tsx/esm/api';

register();
await import(process.argv[2]);
