import { boardRoutes } from './boards/routes.js';
import type { ApiRoute } from './frame/route.js';
import { overviewRoutes } from './pages/overview.js';
import { sessionRoutes } from './pages/session.js';

/** The API of every part of the console. A part adds its routes here, and its pages in `browser/pages.ts`. */
export const ROUTES: readonly ApiRoute[] = [...sessionRoutes, ...overviewRoutes, ...boardRoutes];
