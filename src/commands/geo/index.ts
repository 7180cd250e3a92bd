import { family } from '../table.js';
import { geoadd } from './add.js';
import { geodist, geohash, geopos } from './read.js';
import { rows } from './rows.js';
import {
  georadius,
  georadiusbymember,
  georadiusbymemberRo,
  georadiusRo,
  geosearch,
  geosearchstore,
} from './search.js';

export const geo = family(rows, {
  geoadd,
  geodist,
  geohash,
  geopos,
  georadius,
  georadius_ro: georadiusRo,
  georadiusbymember,
  georadiusbymember_ro: georadiusbymemberRo,
  geosearch,
  geosearchstore,
});
