/**
 * Loaded into every test process. It fixes the seed of property tests, so that their results do not depend on chance.
 * SORREL_SEED=random tries new examples; SORREL_SEED=n repeats a failure with the seed that its message names.
 */
import fc from 'fast-check';

const wanted = process.env['SORREL_SEED'];
if (wanted !== 'random') fc.configureGlobal({ seed: wanted === undefined ? 20_260_703 : Number(wanted) });
