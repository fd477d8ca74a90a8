export { forkFile, forkScript, readAsset, scriptStdio, useCarrier } from './carrier/carrier.ts';
