/**
 * The fan-out of `npm run bench -- search` alone: one status to many followers, embedded and on redis-server.
 * Options: --followers=100000 --rounds=3 --elapsed=1
 */
import { part } from './search/fan-out.js';

console.log(`\n# fan-out: ${part.about}\n`);
await part.run();
