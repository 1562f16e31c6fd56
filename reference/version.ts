/** The version of this runtime. */
export const version = '0.1.0';
