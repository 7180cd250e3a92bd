/**
 * Loaded into every test process: properties draw the same examples in every run, so that whether a change passes is no
 * matter of luck. SORREL_SEED=random explores, SORREL_SEED=n repeats what a failure message named.
 */
import fc from 'fast-check';

const wanted = process.env['SORREL_SEED'];
if (wanted !== 'random') fc.configureGlobal({ seed: wanted === undefined ? 20_260_703 : Number(wanted) });
