/** Milliseconds after which something that has not happened counts as a failure: a loaded machine is slow, not wrong. */
export const PATIENCE = 240_000;
