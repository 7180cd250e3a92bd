/** All kinds of stores behave the same. */

import { prepareServers } from '../../support/stores/index.js';
import { pipelines, transactions, watching } from './batches.js';
import { blocking } from './blocking.js';
import { errors } from './errors.js';
import { families } from './families.js';
import { life } from './life.js';
import { scanning } from './scanning.js';
import { scripts } from './scripts.js';
import { subscriptions } from './subscriptions.js';
import { onEveryKind, type Topic } from './suite.js';
import { values } from './values.js';

const topics: readonly Topic[] = [
  values,
  families,
  errors,
  pipelines,
  transactions,
  watching,
  scripts,
  blocking,
  subscriptions,
  scanning,
  life,
];

prepareServers();

onEveryKind('A store', (test) => {
  for (const topic of topics) topic(test);
});
