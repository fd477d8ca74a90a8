import manifest from '../../../../../package.json' with { type: 'json' };

/** The version of the program: that of the repository, which stands in its package.json alone. */
export const VERSION: string = manifest.version;
