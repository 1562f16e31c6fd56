import manifest from '../package.json' with { type: 'json' };

/** The version of this kit. */
export const VERSION: string = manifest.version;
