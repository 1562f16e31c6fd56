import pc from 'picocolors';

/** Whether to colour standard output: on a terminal, or with FORCE_COLOR; never with NO_COLOR. Alone, the library would colour the logs of CI too. */
export const coloured: boolean = pc.isColorSupported && (process.stdout.isTTY === true || process.env['FORCE_COLOR'] !== undefined);

/** Colours for standard output. */
export const colours: ReturnType<typeof pc.createColors> = pc.createColors(coloured);
