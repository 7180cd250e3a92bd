/** The process or thread that ran a handler is gone: its task runs again, as after the death of a worker. */
export class SandboxCrash extends Error {
  override readonly name = 'SandboxCrash';
}
