export { ask, askUntil } from './asking.js';
export { type RedisCluster, startMixedCluster, startRedisCluster } from './cluster.js';
export { clusterEpochs, clusterMembers } from './cluster-nodes.js';
export { type MemberKind, type SentinelGroup, startSentinel, startSentinelGroup } from './sentinel.js';
export { type Server, stopAllServers } from './server-process.js';
export {
  noRedisReason,
  type SocketServer,
  startRedis,
  startSorrel,
  startSorrelWithSocket,
  startWithFile,
  whenRedisIsInstalled,
} from './standalone.js';
