/** `sorrel/kit/configuration`: settings that all processes share, a maintenance flag, connections per component. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export type { Component, ComponentOptions, ConnectionSettings } from './component.js';
export {
  type Configuration,
  type ConfigurationChange,
  type ConfigurationOptions,
  configuration,
  type WatchOptions,
} from './configuration.js';
export type { Maintenance, MaintenanceOptions, MaintenanceStatus } from './maintenance.js';
