import type { ApiRoute } from '../../frame/route.js';
import { clientRoutes } from './clients.js';
import { durabilityRoutes } from './durability.js';
import { listeningRoutes } from './listening.js';
import { ruleRoutes } from './rules.js';

export const serverRoutes: readonly ApiRoute[] = [
  ...clientRoutes,
  ...ruleRoutes,
  ...durabilityRoutes,
  ...listeningRoutes,
];
