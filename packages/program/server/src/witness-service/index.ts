export { openWitnessKey, startWitness } from './start-witness.ts';
export { loadWitnessConfiguration } from './witness-configuration.ts';
