/** An answer of the API that is not a success. The text is for the person in front of the browser. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const invalid = (message: string): ApiError => new ApiError(400, 'INPUT', message);
export const readOnly = (): ApiError =>
  new ApiError(403, 'READONLY', 'this console is read-only: nothing can be changed with it');
