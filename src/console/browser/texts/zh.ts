import frame from './zh-frame.js';
import keys from './zh-keys.js';
import kit from './zh-kit.js';
import server from './zh-server.js';
import tools from './zh-tools.js';

/** Chinese, by the English text. Each part of the console has its own table. */
const texts: Readonly<Record<string, string>> = { ...kit, ...frame, ...keys, ...tools, ...server };

export default texts;
