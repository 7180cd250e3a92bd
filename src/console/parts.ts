import { boardRoutes } from './boards/routes.js';
import type { ApiRoute } from './frame/route.js';
import { labRoutes } from './labs/routes.js';
import { commandLineRoutes } from './pages/command-line.js';
import { keyRoutes } from './pages/keys/index.js';
import { memoryRoutes } from './pages/memory/index.js';
import { overviewRoutes } from './pages/overview.js';
import { serverRoutes } from './pages/server/index.js';
import { sessionRoutes } from './pages/session.js';

/** The API of every part of the console. A part adds its routes here, and its pages in `browser/pages.ts`. */
export const ROUTES: readonly ApiRoute[] = [
  ...sessionRoutes,
  ...overviewRoutes,
  ...keyRoutes,
  ...commandLineRoutes,
  ...memoryRoutes,
  ...serverRoutes,
  ...boardRoutes,
  ...labRoutes,
];
