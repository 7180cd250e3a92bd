import { ConfigurationError } from '../configuration/configuration.js';
import { ListenError } from '../connections/listening.js';
import type { Server } from '../server.js';
import { TlsError } from '../tls/tls-negotiation.js';

/** Opens the ports of a process. Throws a ConfigurationError that says what to do. */
export async function listenAtStart(server: Server): Promise<void> {
  try {
    await server.listen();
  } catch (error) {
    // Ports that are open already would keep the process alive.
    await server.listening.close();
    await server.clusterService?.close();
    if (error instanceof TlsError) {
      server.log('warning', error.message);
      throw new ConfigurationError(`Failed to configure TLS: ${error.message}`);
    }
    if (!(error instanceof ListenError) || error.code !== 'EADDRINUSE') throw error;
    const { port } = error;
    const isTls = port === server.engine.settings.number('tls-port');
    server.log('warning', `Failed listening on port ${port} (${isTls ? 'TLS' : 'TCP'}), aborting.`);
    throw new ConfigurationError(
      `port ${port} is taken (address already in use): stop the process that listens there, or choose another with ` +
        `--${isTls ? 'tls-port' : 'port'}`,
    );
  }
}
