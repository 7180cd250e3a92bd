/** `sorrel/server`: serves an engine over RESP from within a Node program. */
export {
  type ClusterForTests,
  type ClusterNodeForTests,
  type ClusterOptions,
  openCluster,
} from './cluster/open-cluster.js';
export { type RunningCluster, type ServeClusterOptions, serveCluster } from './cluster/serve-cluster.js';
export { openSentinels, type SentinelsForTests, type SentinelsOptions } from './open-sentinels.js';
export { type RunningServer, ServeError, type ServeOptions, type ServerTls, serve } from './serve.js';
