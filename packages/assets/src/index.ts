export { forkFile, forkScript, readAsset, useCarrier } from './carrier/carrier.ts';
