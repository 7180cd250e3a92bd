import type { ApiRoute } from '../../frame/route.js';
import { editRoutes } from './edit.js';
import { factsRoutes } from './facts.js';
import { scanRoutes } from './scan.js';
import { specialRoutes } from './special.js';
import { transferRoutes } from './transfer.js';
import { valueRoutes } from './values.js';

export const keyRoutes: readonly ApiRoute[] = [
  ...scanRoutes,
  ...factsRoutes,
  ...valueRoutes,
  ...specialRoutes,
  ...editRoutes,
  ...transferRoutes,
];
