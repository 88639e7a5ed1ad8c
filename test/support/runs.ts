// How often random cases are tried. MANIKIN_LONG=1: twenty times as often.

export const LONG = process.env.MANIKIN_LONG === '1';

export const runs = (usual: number): number => (LONG ? 20 * usual : usual);
