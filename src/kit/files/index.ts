/** `sorrel/kit/files`: large files, in blocks, to several readers. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export {
  type Files,
  type FilesOptions,
  files,
  type ReaderStatus,
  type ReceiveOptions,
  type ReceiveToOptions,
  type SendOptions,
  type TransferOptions,
  type TransferStatus,
} from './files.js';
export type { FileProgress, FileSummary } from './sending.js';
export type { FileSource } from './source.js';
