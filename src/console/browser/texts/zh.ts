import frame from './zh-frame.js';

/** Chinese, by the English text. Each part of the console has its own table. */
const texts: Readonly<Record<string, string>> = { ...frame };

export default texts;
