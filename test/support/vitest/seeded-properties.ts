import fc from 'fast-check';
import { chooseSeed } from '../random/seed.ts';

// fast-check reports the seed of a property that fails, and SEED runs it again.
if (process.env['SEED'] !== undefined || process.env['CI'] === 'true')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: chooseSeed(process.env, Date.now()) });
