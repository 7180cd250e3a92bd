/** The transport as pino loads it in a thread: from the sources, which need a loader there. */
import { register } from 'tsx/esm/api';

register();
const { default: transport } = await import('../../../src/kit/logs/index.ts');

export default transport;
