/** Source that is not Lua. The message begins with chunk and line. */
export class LuaSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LuaSyntaxError';
  }
}
